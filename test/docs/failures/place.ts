import type { Feed } from "../../../src/http/feed-shape.ts";
import { joinFeed } from "../../../web/phone/known-feed.ts";
import { situation } from "../../../web/phone/situation.ts";
import { eventually, type LullProcess } from "../../lull-process.ts";
import { type Surroundings, surroundings } from "../../service/surroundings.ts";
import { normalised } from "./normalised.ts";
import { PRICES, type Said, VISITOR } from "./said.ts";

/** What a customer is told meanwhile, and how soon here: an outage of seconds stands for one of minutes. */
export const SORRY = "This takes longer than usual. You will get an answer here.";

/** A user's machine, on which one thing is wrong, and all who look at it. */
export class Place {
  readonly at: Surroundings;
  /** `lull dev`, which shows reasons on its page. */
  service: LullProcess | undefined;
  #url = "";

  private constructor(at: Surroundings) {
    this.at = at;
  }

  static async make(environment: Readonly<Record<string, string>> = {}): Promise<Place> {
    return new Place(
      await surroundings({
        LULL_FAILURE_TEXT: SORRY,
        LULL_FAILURE_TEXT_AFTER_SECONDS: "0",
        // Everybody looks between two tries.
        LULL_BACKOFF_SECONDS: "60",
        ...environment,
      }),
    );
  }

  async start(): Promise<void> {
    this.service = this.at.lull("dev");
    this.#url = await this.service.url();
    // Commands look for the service on the port that is configured.
    this.at.env.PORT = new URL(this.#url).port;
  }

  get url(): string {
    return this.#url;
  }

  /** A customer on WhatsApp and a visitor of the page write the same. */
  async write(text = PRICES): Promise<void> {
    await this.at.write(1, text, { to: this.#url });
    await this.visit(text);
  }

  visit(text = PRICES): Promise<Response> {
    const body = JSON.stringify({ sender: VISITOR, id: "m1", text });
    return this.at.post("/webhooks/web", { body }, this.#url);
  }

  /** What a command prints: its lines, or the last words of one that cannot do its work. */
  async command(...args: string[]): Promise<string[]> {
    const process = this.at.lull(...args);
    await process.gone();
    return normalised(process.stdout.trim() === "" ? process.stderr : process.stdout);
  }

  /** Of the customer on WhatsApp, once there is such a conversation. */
  async show(): Promise<string[]> {
    const listing = this.at.lull("conversations", "--search", "50370000001", "--json");
    await listing.gone();
    const id = /"id":\s*"([^"]+)"/.exec(listing.stdout)?.[1];
    if (id !== undefined) return this.command("conversations", "show", id);
    return listing.stderr.trim() === "" ? ["no conversations"] : normalised(listing.stderr);
  }

  /** Its own words, from what the service tells it. */
  async page(): Promise<string[]> {
    const feed = await this.#feed().catch((): typeof AWAY => AWAY);
    const now = Date.now();
    const isAway = feed === AWAY;
    const known = feed === undefined || feed === AWAY ? undefined : joinFeed(undefined, feed, now);
    const told = situation({
      ...{ feed: known, feedFailed: isAway, nowMs: now, serviceNowMs: now },
      ...{ unsent: isAway ? 1 : 0, retryAtMs: 0 },
    });
    return normalised(told.text);
  }

  /** Warnings and errors of the log, each once. */
  log(): string[] {
    const lines = (this.service?.events ?? []).flatMap(
      ({ level, event, code, reason, channel, why, status }) =>
        level === "warn" || level === "error"
          ? [[event, ...Object.values({ code, channel, status, why, reason }).filter(Boolean)].join(" · ")]
          : [],
    );
    return [...new Set(lines.flatMap((line) => normalised(line)))].sort();
  }

  async doctor(): Promise<string[]> {
    const lines = await this.command("doctor");
    const found = lines
      .join("\n")
      .split(/\n(?=\S)/)
      .map((each) => each.replaceAll(/\s+/g, " "));
    return found.filter((each) => !each.startsWith("ok ") && !NOT_ABOUT_IT.test(each));
  }

  heard(): string[] {
    return this.at.twilio.sent.map(({ body }) => body);
  }

  /** Once the log has such a line. */
  until(event: string): Promise<unknown> {
    return this.service!.event(event, (line) => line.event === event);
  }

  whenTold(): Promise<unknown> {
    return eventually("the text for failures", async () => {
      const texts = [...this.heard(), ...((await this.#feed())?.messages ?? []).map(({ text }) => text)];
      return texts.filter((text) => text === SORRY).length === 2 || undefined;
    });
  }

  /** Nothing before the visitor has written. */
  async #feed(): Promise<Feed | undefined> {
    const response = await fetch(`${this.#url}/webhooks/web/feed?sender=${VISITOR}`);
    return response.ok ? ((await response.json()) as Feed) : undefined;
  }

  whenVisitorAnswered(): Promise<unknown> {
    return eventually(
      "the visitor's answer",
      async () => ((await this.#feed())?.turns ?? []).length > 0 || undefined,
    );
  }

  async end(): Promise<void> {
    await this.at.end();
  }

  async look(): Promise<Said> {
    return {
      customer: this.heard(),
      page: await this.page(),
      log: this.log(),
      status: await this.command("status"),
      show: await this.show(),
      doctor: await this.doctor(),
    };
  }
}

const AWAY = "away";

/** What is so on every machine of this test, and no failure. */
const NOT_ABOUT_IT = /^(warn|FAIL|skip) +(clock|public URL|webhook whatsapp|webhook sms|API)\b/;
