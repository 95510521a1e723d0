/** Whose webhooks they are: what generator, peers and Lull agree on. */
export const ACCOUNT_SID = "AC00000000000000000000000000000001";
export const AUTH_TOKEN = "the-benchmark's-own-token";
export const OUR_NUMBER = "+15550100";
export const PUBLIC_URL = "https://bot.example.com";
export const PATH = "/webhooks/sms";
