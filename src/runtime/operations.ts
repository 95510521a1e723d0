import { projectOf } from "../core/projects.ts";
import type { Log } from "../model/log.ts";
import type { FullReply } from "../model/reply.ts";
import type { OperatedEngine } from "../ports/engine.ts";
import { type CreateRequest, type CreateResult, createConversation } from "./create-conversation.ts";
import { answerLate } from "./late-answer.ts";
import { type Operating, operating } from "./operating.ts";
import { type PeoplesRights, peoplesRights } from "./people.ts";
import { viewOf } from "./project-view.ts";
import { type SayRequest, type SayResult, say } from "./say.ts";
import { type SyntheticCustomers, syntheticCustomers } from "./synthetic-customers.ts";
import type { UseCaseContext, WholeContext } from "./use-case.ts";

/** What may be done with conversations: with all, or with those of one project. */
export interface Operations extends Operating, PeoplesRights, SyntheticCustomers {
  /**
   * Creates a conversation, or finds the active one of the same sender and address. `made` is told its id
   * before the first message is said.
   */
  createConversation(request: CreateRequest, made?: (id: string) => void): Promise<CreateResult>;
  /** Says something in a conversation as a turn of its own. `id` makes asking twice harmless. */
  say(request: SayRequest): Promise<SayResult>;
  /** The late answer to a turn whose responder said `laterSeconds`. */
  answerTurn(turnId: string, reply: FullReply): Promise<"accepted" | "stale">;
  /**
   * The engine, opened on first use. Rejects from `stop` on, as everything does that needs it, until `start`.
   */
  engine(): Promise<OperatedEngine>;
}

export function operationsOver(context: UseCaseContext & { readonly log: Log }): Operations {
  const saying: Operations["say"] = (request) => say(context, request);
  return {
    ...operating(context),
    ...peoplesRights(context),
    ...syntheticCustomers(context),
    engine: context.engine,
    createConversation: (request, made) => createConversation({ ...context, say: saying }, request, made),
    say: saying,
    answerTurn: (turnId, reply) => answerLate(context, turnId, reply),
  };
}

/** The same for one project: its channels, and a store without other projects' conversations. */
export function withinProject({ settings, channels, engine }: WholeContext, project: string): UseCaseContext {
  const theirs = Object.entries(channels).filter(([name]) => projectOf(settings, name) === project);
  return {
    settings,
    channels: Object.fromEntries(theirs),
    engine: async () => viewOf(await engine(), settings, project),
  };
}
