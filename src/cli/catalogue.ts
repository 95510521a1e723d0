import type { Command } from "./command.ts";

export interface Entry {
  readonly name: string;
  readonly summary: string;
  /** Loaded when called: `lull --help` needs no database. */
  readonly load: () => Promise<Command>;
}

export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Entry[];
  /** What the bare name does; its help where left out. */
  readonly bare?: string;
}

const of = <T>(module: Promise<T>, pick: (module: T) => Command) => module.then(pick);

const CONVERSATIONS: readonly Entry[] = [
  {
    name: "list",
    summary: "conversations, latest first",
    load: () => of(import("./commands/conversations/list.ts"), (m) => m.list),
  },
  {
    name: "show",
    summary: "one conversation: messages, turns, refusals, what waits",
    load: () => of(import("./commands/conversations/show.ts"), (m) => m.show),
  },
  {
    name: "create",
    summary: "create one, and say the first message if you like",
    load: () => of(import("./commands/conversations/create.ts"), (m) => m.create),
  },
  {
    name: "say",
    summary: "say something to the customer",
    load: () => of(import("./commands/conversations/say.ts"), (m) => m.say),
  },
  {
    name: "close",
    summary: "complete the task: the next message opens a new conversation",
    load: () => of(import("./commands/conversations/change.ts"), (m) => m.close),
  },
  {
    name: "pause",
    summary: "stop answering this one; messages stay staged",
    load: () => of(import("./commands/conversations/change.ts"), (m) => m.pause),
  },
  {
    name: "resume",
    summary: "go on answering this one",
    load: () => of(import("./commands/conversations/change.ts"), (m) => m.resume),
  },
  {
    name: "hand-off",
    summary: "hand it to a human",
    load: () => of(import("./commands/conversations/change.ts"), (m) => m.handOff),
  },
  {
    name: "hand-back",
    summary: "give it back to the responder",
    load: () => of(import("./commands/conversations/change.ts"), (m) => m.handBack),
  },
  {
    name: "erase",
    summary: "erase the person: messages, turns, everything",
    load: () => of(import("./commands/conversations/erase.ts"), (m) => m.erase),
  },
];

const PROJECTS: readonly Entry[] = [
  {
    name: "list",
    summary: "projects, and what counts for their conversations",
    load: () => of(import("./commands/projects.ts"), (m) => m.list),
  },
  {
    name: "set",
    summary: "status and channel types, for all conversations of one",
    load: () => of(import("./commands/projects.ts"), (m) => m.set),
  },
  {
    name: "pause",
    summary: "stop answering one; its messages stay staged",
    load: () => of(import("./commands/projects.ts"), (m) => m.pause),
  },
  {
    name: "resume",
    summary: "go on answering one",
    load: () => of(import("./commands/projects.ts"), (m) => m.resume),
  },
  {
    name: "reset",
    summary: "what is configured counts again",
    load: () => of(import("./commands/projects.ts"), (m) => m.reset),
  },
];

const DEAD: readonly Entry[] = [
  {
    name: "list",
    summary: "dead letters, with their reasons",
    load: () => of(import("./commands/dead.ts"), (m) => m.list),
  },
  {
    name: "retry",
    summary: "give the messages a new turn",
    load: () => of(import("./commands/dead.ts"), (m) => m.retry),
  },
  {
    name: "discard",
    summary: "drop them for good",
    load: () => of(import("./commands/dead.ts"), (m) => m.discard),
  },
  {
    name: "redrive",
    summary: "on AWS: put wake-ups back that a queue gave up",
    load: () => of(import("./commands/redrive.ts"), (m) => m.redrive),
  },
];

const UNKNOWN: readonly Entry[] = [
  {
    name: "list",
    summary: "sends whose outcome is unknown",
    load: () => of(import("./commands/unknown.ts"), (m) => m.list),
  },
  {
    name: "mark",
    summary: "record what you found out: sent or not-sent",
    load: () => of(import("./commands/unknown.ts"), (m) => m.mark),
  },
  {
    name: "resend",
    summary: "send it (again)",
    load: () => of(import("./commands/unknown.ts"), (m) => m.resend),
  },
];

const QUARANTINE: readonly Entry[] = [
  {
    name: "list",
    summary: "rows that were set aside, with the reasons",
    load: () => of(import("./commands/quarantine.ts"), (m) => m.list),
  },
  {
    name: "discard",
    summary: "drop those that you have seen to",
    load: () => of(import("./commands/quarantine.ts"), (m) => m.discard),
  },
];

const MIGRATE: readonly Entry[] = [
  {
    name: "seed-aws",
    summary: "from DynamoDB tables of the original system: what waits there, its locks, its statuses",
    load: () => of(import("./commands/migrate/seed-aws.ts"), (m) => m.seedAws),
  },
  {
    name: "seed-wati",
    summary: "from a WATI bot's thread_store.db: threads, and what is buffered",
    load: () => of(import("./commands/migrate/seed-wati.ts"), (m) => m.seedWati),
  },
];

/** Every command, in the order of the help. */
export const CATALOGUE: readonly (Entry | Group)[] = [
  {
    name: "dev",
    summary: "try it: service, phone page at /, no key needed",
    load: () => of(import("./commands/dev.ts"), (m) => m.dev),
  },
  {
    name: "init",
    summary: "a project of your own: asks a few questions, writes the files",
    load: () => of(import("./commands/init.ts"), (m) => m.init),
  },
  {
    name: "start",
    summary: "run the service",
    load: () => of(import("./commands/start.ts"), (m) => m.start),
  },
  {
    name: "conversations",
    summary: "look at and change conversations",
    commands: CONVERSATIONS,
    bare: "list",
  },
  {
    name: "projects",
    summary: "whose customers are answered, and over which channel types",
    commands: PROJECTS,
    bare: "list",
  },
  {
    name: "status",
    summary: "how it stands: what waits, what fails and why, what needs a person",
    load: () => of(import("./commands/status.ts"), (m) => m.status),
  },
  {
    name: "locks",
    summary: "windows and leases as they stand now",
    load: () => of(import("./commands/locks.ts"), (m) => m.locks),
  },
  { name: "dead", summary: "messages that got no turn, with the reason", commands: DEAD, bare: "list" },
  { name: "unknown", summary: "sends whose outcome is unknown", commands: UNKNOWN, bare: "list" },
  {
    name: "refusals",
    summary: "messages that were refused, and why",
    load: () => of(import("./commands/refusals.ts"), (m) => m.refusals),
  },
  {
    name: "quarantine",
    summary: "rows of the store that were not ours",
    commands: QUARANTINE,
    bare: "list",
  },
  {
    name: "pause",
    summary: "stop answering everywhere",
    load: () => of(import("./commands/pause.ts"), (m) => m.pause),
  },
  {
    name: "resume",
    summary: "go on answering",
    load: () => of(import("./commands/pause.ts"), (m) => m.resume),
  },
  {
    name: "export",
    summary: "what is kept of a person, as JSON",
    load: () => of(import("./commands/export.ts"), (m) => m.exportPerson),
  },
  {
    name: "erase",
    summary: "erase a person from every conversation",
    load: () => of(import("./commands/erase.ts"), (m) => m.erase),
  },
  {
    name: "doctor",
    summary: "check configuration, credentials, clock, disk, webhook URLs",
    load: () => of(import("./commands/doctor.ts"), (m) => m.doctor),
  },
  {
    name: "load-test",
    summary: "bursts of synthetic customers against a running service",
    load: () => of(import("./commands/load-test.ts"), (m) => m.loadTest),
  },
  {
    name: "catch-up",
    summary: "stage what the provider received and we did not",
    load: () => of(import("./commands/catch-up.ts"), (m) => m.catchUp),
  },
  {
    name: "backup",
    summary: "copy the database while the service runs",
    load: () => of(import("./commands/backup.ts"), (m) => m.backup),
  },
  {
    name: "restore",
    summary: "check a backup, and put it in place",
    load: () => of(import("./commands/restore.ts"), (m) => m.restore),
  },
  {
    name: "compact",
    summary: "write the database anew: nothing stays of what was erased",
    load: () => of(import("./commands/compact.ts"), (m) => m.compact),
  },
  {
    name: "import",
    summary: "take in the conversations of a SQLite database, when moving to AWS",
    load: () => of(import("./commands/import.ts"), (m) => m.importFile),
  },
  { name: "migrate", summary: "move in from the system that ran before", commands: MIGRATE },
  {
    name: "config",
    summary: "what is in force, and where it came from",
    load: () => of(import("./commands/config.ts"), (m) => m.config),
  },
];
