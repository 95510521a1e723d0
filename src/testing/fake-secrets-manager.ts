import { type FakeReply, type FakeRequest, type FakeServer, fakeServer, jsonReply } from "./fake-server.ts";

export interface FakeSecretsManager extends FakeServer {
  /** A new value, as a rotation would put it; undefined removes the secret. */
  put(name: string, value: string | undefined): void;
}

/** AWS Secrets Manager on loopback, as far as it is read from. */
export function fakeSecretsManager(secrets: Readonly<Record<string, string>> = {}): FakeSecretsManager {
  const values = new Map(Object.entries(secrets));
  const wrong = (status: number, type: string): FakeReply =>
    jsonReply(status, { __type: type, message: type });

  function handle({ headers, body }: FakeRequest): FakeReply {
    if (headers["x-amz-target"] !== "secretsmanager.GetSecretValue")
      return wrong(400, "UnknownOperationException");
    const { SecretId } = JSON.parse(body) as { SecretId: string };
    const SecretString = values.get(SecretId);
    if (SecretString === undefined) return wrong(400, "ResourceNotFoundException");
    return jsonReply(200, { Name: SecretId, SecretString, VersionStages: ["AWSCURRENT"] });
  }

  const server = fakeServer({
    handle,
    refuse: ({ status }) => wrong(status, status === 400 ? "ThrottlingException" : "InternalServiceError"),
  });
  return Object.assign(server, {
    put(name: string, value: string | undefined) {
      if (value === undefined) values.delete(name);
      else values.set(name, value);
    },
  });
}
