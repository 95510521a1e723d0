import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { awsResources } from "../../tools/aws-local/aws-resources.ts";
import { type Environment, type Surroundings, surroundings } from "../service/surroundings.ts";
import { atRest } from "./at-rest.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

const NEVER_SECONDS = "3600";

describeOnEmulators("lull start on AWS", (emulators) => {
  let at: Surroundings;
  afterEach(() => at?.end());

  async function set(environment: Environment = {}): Promise<void> {
    const { env } = await awsResources(emulators);
    at = await surroundings({ ...env, LULL_LEASE_SECONDS: NEVER_SECONDS, ...environment });
  }

  const rest = (turns: number) => atRest(at, turns);

  it("works from the environment alone: several workers, one answer per burst", async () => {
    await set();
    const service = await at.start(3);
    for (const customer of [1, 2, 3, 4])
      for (const text of ["one", "two", "three"]) expect((await at.write(customer, text)).status).toBe(200);
    await at.twilio.whenSent(4);
    expect(at.openai.asked.map(({ lastUserText }) => lastUserText.split("\n").sort().join())).toEqual(
      Array(4).fill("one,three,two"),
    );
    expect(await rest(4)).toMatchObject({ dead: 0, unknown: 0 });
    expect(service.events.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("works from a configuration file with an engine of its own making", async () => {
    const { prefix, queues, env } = await awsResources(emulators);
    const bare = Object.entries(env).filter(([name]) => !name.startsWith("LULL_"));
    at = await surroundings(Object.fromEntries(bare));
    const source = pathToFileURL(join(import.meta.dirname, "../../src/engines/aws/index.ts"));
    const options = JSON.stringify({ tablePrefix: prefix, queues });
    await writeFile(
      join(at.folder, "lull.config.ts"),
      `import { aws } from "${source}";
       export default { engine: aws(${options}), respond: (turn) => \`from code: \${turn.text}\` };`,
    );
    await at.start(1);
    await at.write(1, "hi");
    await at.twilio.whenSent(1);
    expect(at.twilio.sent.map(({ body }) => body)).toEqual(["from code: hi"]);
    expect(await rest(1)).toMatchObject({ dead: 0 });
  });

  describe("what cannot work is told in one line before anything starts:", () => {
    async function refusal(environment: Environment, ...args: string[]) {
      await set(environment);
      const service = at.lull("start", "--log-level", "error", ...args);
      const end = await service.gone();
      expect(service.stdout).toBe("");
      expect(service.stderr.trim().split("\n")).toHaveLength(1);
      return { ...end, said: service.stderr };
    }

    it.each(["1", "2"])("a missing table, by its name (%s workers)", async (workers) => {
      const missing = { LULL_TABLE_STAGE: "nowhere", LULL_TABLE_SEEN: "nor-here" };
      const { code, said } = await refusal(missing, "--workers", workers);
      expect(code).toBe(2);
      expect(said).toMatch(/^lull: table nowhere: it does not exist in this region.*; table nor-here: it/);
    });

    it("a missing queue, by its channel", async () => {
      const { code, said } = await refusal({
        LULL_QUEUE_WHATSAPP: `${emulators.endpoint.sqs}/000000000000/nowhere`,
      });
      expect(code).toBe(2);
      expect(said).toMatch(/^lull: queue of channel whatsapp: it does not exist/);
    });

    it("no queue, no region, no credentials", async () => {
      expect(await refusal({ LULL_QUEUE_DEFAULT: "" })).toMatchObject({
        code: 2,
        said: expect.stringMatching(/LULL_QUEUE_DEFAULT/),
      });
      expect(await refusal({ AWS_REGION: "" })).toMatchObject({
        code: 2,
        said: expect.stringMatching(/AWS_REGION/),
      });
      expect(await refusal({ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" })).toMatchObject({
        code: 2,
        said: expect.stringMatching(/check credentials/),
      });
    });

    it("credentials that AWS does not know, without the credentials", async () => {
      const server = createServer((_request, response) => {
        response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
        response.end(JSON.stringify({ __type: "UnrecognizedClientException", message: "invalid token" }));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      const { code, said } = await refusal({
        AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
        AWS_ACCESS_KEY_ID: "AKIAWRONG",
        AWS_SECRET_ACCESS_KEY: "wrong-secret",
      });
      expect(code).toBe(2);
      expect(said).toMatch(/^lull: AWS access: .*UnrecognizedClientException.*check credentials/);
      expect(said).not.toMatch(/AKIAWRONG|wrong-secret/);
      server.close();
    });

    it("AWS out of reach, as trouble that may pass", async () => {
      const { code, said } = await refusal({ AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:1" });
      expect(code).toBe(1);
      expect(said).toMatch(/^lull: table \S+: /);
    });
  });
});
