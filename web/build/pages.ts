import { join } from "node:path";
import { bundlePage, ROOT } from "./bundle-page.ts";
import { pageModule } from "./page-module.ts";

/** Folders of `web` that are a page each. */
export const PAGES = ["phone"] as const;

/** In the sources and under version control: what runs from the sources needs no build before it. */
export function builtFile(folder: string): string {
  return join(ROOT, "src/http/page/built", `${folder}.ts`);
}

export async function builtSource(folder: string): Promise<string> {
  return pageModule(folder, await bundlePage(folder));
}
