import { latestResults } from "../../bench/latest-results.ts";
import { withResults } from "../../bench/performance-page.ts";
import { withRoutes } from "./api-page.ts";
import { withRefusals } from "./codes-page.ts";
import type { Sources } from "./compiler.ts";
import { limitsType } from "./limits-type.ts";
import { loggedIn } from "./log-events.ts";
import { withFields } from "./log-page.ts";
import { withMetrics } from "./metrics-page.ts";
import { DRAWINGS } from "./pictures/drawings.ts";
import { withProps } from "./props-page.ts";
import { withRecipes } from "./recipes-page.ts";
import { withReference } from "./reference.ts";
import { withTables } from "./settings-page.ts";

type Write = (page: string, sources: Sources) => string;

/** Sources that are written from others, which pages are written from. */
export const WRITTEN_SOURCES: Readonly<Record<string, () => string>> = {
  "src/schema/limits-config.ts": limitsType,
};

/** What pages take over from the sources, and pictures: `npm run docs` writes it, and a test compares. */
export const WRITTEN: Readonly<Record<string, Write>> = {
  "docs/aws.md": withProps,
  "docs/codes.md": withRefusals,
  "docs/configuration.md": withTables,
  "docs/http-api.md": withRoutes,
  "docs/library.md": withReference,
  "docs/operating.md": (page, sources) => withMetrics(withFields(page, loggedIn(sources).events)),
  "docs/performance.md": (page) => withResults(page, latestResults()),
  "docs/recipes.md": withRecipes,
  "docs/testing.md": withReference,
  ...DRAWINGS,
};
