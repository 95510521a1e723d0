/** The project of every channel that is listed under no other. */
export const DEFAULT_PROJECT = "default";

export const ACTIVE = "active";

/** Whether a project's customers are answered, and over which types of channel. */
export interface ProjectRule {
  /** Every status but `active` refuses. */
  readonly status: string;
  /** Channel types that may be used; absent means all. */
  readonly allowedChannels?: readonly string[];
}

/** What was set while the service ran. It counts over what is configured, until it is reset. */
export interface ProjectChange {
  readonly status?: string;
  /** Null means all. */
  readonly allowedChannels?: readonly string[] | null;
  /** Messages are kept, and answered when it goes on. */
  readonly paused?: boolean;
}

/** By project: a project may be called `constructor`, which every object has. */
export type ProjectChanges = ReadonlyMap<string, ProjectChange>;
