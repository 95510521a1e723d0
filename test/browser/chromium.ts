import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../lull-process.ts";

/** A Chromium of the machine: `LULL_TEST_BROWSER=/usr/bin/chromium`. The repository brings none. */
export const CHROMIUM = process.env.LULL_TEST_BROWSER;
/** A folder for pictures of every screen, to look at. */
export const PICTURES = process.env.LULL_TEST_PICTURES;

/** Of every screen: a short one shows what does not fit. */
const HEIGHT_PX = 844;

export interface Look {
  readonly width: number;
  readonly scheme?: "light" | "dark";
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A tab of a headless Chromium, spoken to over its debugging protocol. */
export class Tab {
  /** Every address that it asked for, and every error that it told of. */
  readonly asked: string[] = [];
  readonly errors: string[] = [];
  readonly #browser: ChildProcess;
  readonly #folder: string;
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (message: Message) => void>();

  static async open(): Promise<Tab> {
    const folder = await mkdtemp(join(tmpdir(), "lull-chromium-"));
    const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const flags = ["--headless=new", "--remote-debugging-port=0", `--user-data-dir=${folder}`, ...sandbox];
    const browser = spawn(CHROMIUM!, [...flags, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
    const socket = new WebSocket(await addressOf(browser));
    await once(socket, "open");
    const tab = new Tab(browser, folder, socket);
    for (const domain of ["Page", "Runtime", "Network"]) await tab.#send(`${domain}.enable`);
    return tab;
  }

  private constructor(browser: ChildProcess, folder: string, socket: WebSocket) {
    this.#browser = browser;
    this.#folder = folder;
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#hear(JSON.parse(String(data))));
  }

  async go(url: string): Promise<void> {
    await this.#send("Page.navigate", { url });
    await this.until("the page is there", "document.readyState === 'complete'");
  }

  /** From now on the screen is this wide, and the system light or dark. */
  async look({ width, scheme = "light" }: Look): Promise<void> {
    const screen = { width, height: HEIGHT_PX, deviceScaleFactor: 1, mobile: false };
    await this.#send("Emulation.setDeviceMetricsOverride", screen);
    const features = [
      { name: "prefers-color-scheme", value: scheme },
      // What moves is neither looked at nor judged halfway.
      { name: "prefers-reduced-motion", value: "reduce" },
    ];
    await this.#send("Emulation.setEmulatedMedia", { features });
  }

  /** What there is to see. As JPEG it is smaller, and good enough for a page of text. */
  async picture(format: "png" | "jpeg" = "png"): Promise<Buffer> {
    const asked = format === "png" ? { format } : { format, quality: 84 };
    const { data } = (await this.#send("Page.captureScreenshot", asked)) as { data: string };
    return Buffer.from(data, "base64");
  }

  async press(key: "Escape" | "Tab" | "Enter"): Promise<void> {
    const codes = { Escape: 27, Tab: 9, Enter: 13 };
    const about = {
      key,
      code: key,
      windowsVirtualKeyCode: codes[key],
      ...(key === "Enter" && { text: "\r" }),
    };
    await this.#send("Input.dispatchKeyEvent", { type: "keyDown", ...about });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", ...about });
  }

  /** Types into what has the focus, and presses Enter. */
  async write(text: string): Promise<void> {
    await this.#send("Input.insertText", { text });
    await this.press("Enter");
  }

  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.#send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    return (answer as { result: { value: T } }).result.value;
  }

  async until(what: string, expression: string): Promise<void> {
    await eventually(what, async () => ((await this.evaluate<boolean>(expression)) ? true : undefined));
  }

  async close(): Promise<void> {
    const gone = once(this.#browser, "exit");
    this.#socket.close();
    this.#browser.kill("SIGTERM");
    await gone;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #hear({ id, method, params = {}, ...message }: Message): void {
    if (id !== undefined) this.#answers.get(id)?.(message);
    if (method === "Network.requestWillBeSent") this.asked.push((params.request as { url: string }).url);
    if (method === "Runtime.exceptionThrown") this.errors.push(JSON.stringify(params.exceptionDetails));
  }

  async #send(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
    const id = this.#answers.size + 1;
    const answered = new Promise<Message>((resolve) => this.#answers.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }
}

/** Where its first tab listens. */
async function addressOf(browser: ChildProcess): Promise<string> {
  let said = "";
  browser.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  const host = await eventually("Chromium", async () => /ws:\/\/([^/]+)\//.exec(said)?.[1]);
  return eventually("a tab", async () => {
    const tabs = (await (await fetch(`http://${host}/json/list`)).json()) as TabInfo[];
    return tabs.find(({ type }) => type === "page")?.webSocketDebuggerUrl;
  });
}

interface TabInfo {
  readonly type: string;
  readonly webSocketDebuggerUrl: string;
}
