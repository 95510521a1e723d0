import { changedKeys } from "../core/projects.ts";
import { tellable } from "../errors.ts";
import type { Log } from "../model/log.ts";
import type { ProjectChange } from "../model/project.ts";
import type { Clock } from "../ports/clock.ts";
import type { Engine, Sweeping } from "../ports/engine.ts";
import type { Inspector } from "../ports/inspector.ts";
import { RepeatedFailures } from "./repeated-failures.ts";

/**
 * Tells in the log what was set for projects. Commands run in a process of their own, whose log is seen by no
 * operator: what they set is told by the service, after its next sweep.
 */
export class ProjectWatch {
  readonly #log: Log;
  readonly #projects: readonly string[];
  /** What counted when it was last looked at; empty before the first look, which has nothing to compare. */
  readonly #known = new Map<string, ProjectChange>();
  #hasLooked = false;

  constructor(log: Log, projects: readonly string[]) {
    this.#log = log;
    this.#projects = projects;
  }

  /** This process itself has set it. A look may have found it already, and told it. */
  changed(project: string, before: ProjectChange | undefined, after: ProjectChange | undefined): void {
    const known = this.#known.get(project) ?? before ?? {};
    // A new object each time: a look that began before this recognises that it read something older.
    this.#known.set(project, { ...after });
    this.#tell(project, known, after ?? {});
  }

  async look({ projectChanges }: Pick<Inspector, "projectChanges">): Promise<void> {
    const known = new Map(this.#known);
    const changes = await projectChanges();
    for (const project of this.#projects) {
      const before = known.get(project);
      if (this.#known.get(project) !== before) continue;
      const after = changes.get(project) ?? {};
      this.#known.set(project, after);
      if (this.#hasLooked) this.#tell(project, before ?? {}, after);
    }
    this.#hasLooked = true;
  }

  #tell(project: string, before: ProjectChange, after: ProjectChange): void {
    const keys = changedKeys(before, after);
    if (keys.length > 0) this.#log("info", "project.changed", { project, keys: keys.join(", ") });
  }
}

interface Watching {
  readonly watch: ProjectWatch;
  readonly clock: Clock;
  readonly log: Log;
}

/** The same sweeps, after the last round of which projects are looked at. */
export function watching(
  sweeping: Sweeping,
  { inspector }: Pick<Engine, "inspector">,
  { watch, clock, log }: Watching,
): Sweeping {
  const repeated = new RepeatedFailures();
  const tell = (error: unknown) => {
    const reason = tellable(error);
    const failures = repeated.note(reason, clock.nowMs());
    if (failures !== undefined) log("error", "project.look-failed", { reason, failures });
  };
  return {
    ...sweeping,
    async sweep() {
      const report = await sweeping.sweep();
      if (!report.hasMore) await watch.look(inspector).catch(tell);
      return report;
    },
  };
}
