export { type SecretsManagerOptions, secretsManager } from "./secrets-manager.ts";
