import { createHmac } from "node:crypto";
import type { Engine } from "../ports/engine.ts";

/**
 * What only a service on this store can say to a word that it has never heard. It tells a stranger nothing:
 * neither part can be made, or told from chance, without the store's secret.
 */
export interface Proof {
  /** The same from every process on this store. */
  readonly store: string;
  /** The same from every process of this service, from its start to its end. */
  readonly service: string;
}

const PURPOSE = "proof of being the same service";

/** The store's part alone needs no service: a command that opens the store can tell what it has to be. */
export async function storeProof(engine: Pick<Engine, "secretFor">, word: string): Promise<string> {
  return sign(await engine.secretFor(PURPOSE), `store ${word}`);
}

export async function proofOf(
  engine: Pick<Engine, "secretFor">,
  startedAtMs: number,
  word: string,
): Promise<Proof> {
  const secret = await engine.secretFor(PURPOSE);
  return { store: sign(secret, `store ${word}`), service: sign(secret, `service ${startedAtMs} ${word}`) };
}

function sign(secret: string, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url");
}
