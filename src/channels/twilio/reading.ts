import { LullError } from "../../errors.ts";
import { accountPath, basicWithToken, call, messagingUrl } from "./api.ts";
import type { Account, Session } from "./session.ts";

/** What Twilio says of one thing. Every field may be missing, or of another type. */
export type Told = Readonly<Record<string, unknown>>;

/** Reads of Twilio's settings, for one account. Everything may be refused: then it is said by its status. */
export class Reading {
  readonly signal: AbortSignal;
  readonly account: Account;
  readonly #credentials: string;
  readonly #apiUrl: string;

  private constructor(credentials: string, apiUrl: string, account: Account, signal: AbortSignal) {
    this.#credentials = credentials;
    this.#apiUrl = apiUrl;
    this.account = account;
    this.signal = signal;
  }

  static async open(session: Session, account: Account, signal: AbortSignal): Promise<Reading> {
    return new Reading(await basicWithToken(session, account), session.apiUrl, account, signal);
  }

  /** Of the account itself: numbers, short codes, applications. */
  ofAccount(path: string): Promise<Told | undefined> {
    return this.#read(`${this.#apiUrl}${accountPath(this.account)}/${path}`);
  }

  /** Of the messaging API: services and senders. */
  ofMessaging(path: string): Promise<Told | undefined> {
    return this.#read(`${messagingUrl(this.#apiUrl)}/${path}`);
  }

  /** Undefined where there is no such thing. */
  async #read(url: string): Promise<Told | undefined> {
    const { status, text } = await call(url, this.#credentials, { signal: this.signal });
    if (status === 404) return undefined;
    if (status !== 200) throw unread(`Twilio answered ${status}`);
    try {
      return Object(JSON.parse(text ?? "")) as Told;
    } catch {
      throw unread("Twilio's answer cannot be read");
    }
  }
}

export function unread(message: string): LullError {
  return new LullError(message, { code: "TWILIO_UNREAD", retry: "later" });
}

export function textIn(told: Told, name: string): string {
  const value = told[name];
  return typeof value === "string" ? value : "";
}

export function listIn(told: Told | undefined, name: string): readonly Told[] {
  const value = told?.[name];
  return Array.isArray(value) ? value.map((each) => Object(each) as Told) : [];
}
