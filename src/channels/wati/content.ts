import type { Media } from "../../model/message.ts";
import type { Fields } from "../../wire/json-object.ts";
import { firstText, objectIn, text } from "./body.ts";

/** A map and not an object: a file may be called `menu.constructor`. */
const TYPE_OF_EXTENSION = new Map(
  Object.entries({
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    png: "image/png",
    webp: "image/webp",
    mp4: "video/mp4",
    "3gp": "video/3gpp",
    ogg: "audio/ogg",
    opus: "audio/ogg",
    mp3: "audio/mpeg",
    m4a: "audio/mp4",
    aac: "audio/aac",
    amr: "audio/amr",
    pdf: "application/pdf",
  }),
);

/** WhatsApp's own formats, for a file whose name tells nothing. */
const TYPE_OF_MESSAGE = new Map(
  Object.entries({
    image: "image/jpeg",
    sticker: "image/webp",
    video: "video/mp4",
    voice: "audio/ogg",
    audio: "audio/ogg",
  }),
);

/** What the customer said: typed, tapped or attached. */
export function contentOf(fields: Fields): { readonly text: string; readonly media: readonly Media[] } {
  const said =
    text(fields.text) ??
    firstText(objectIn(fields.listReply), "title") ??
    firstText(objectIn(fields.interactiveButtonReply), "title", "text") ??
    firstText(objectIn(fields.buttonReply), "text", "title");
  return { text: said ?? "", media: mediaOf(fields) };
}

function mediaOf(fields: Fields): Media[] {
  const url = text(fields.data);
  if (url === undefined || !/^https?:\/\//.test(url) || !URL.canParse(url)) return [];
  const name = fileNameIn(url);
  const extension = name?.split(".").at(-1)?.toLowerCase() ?? "";
  const contentType = TYPE_OF_EXTENSION.get(extension) ?? TYPE_OF_MESSAGE.get(text(fields.type) ?? "");
  return [
    { url, contentType: contentType ?? "application/octet-stream", ...(name === undefined ? {} : { name }) },
  ];
}

/** WATI serves files as `.../showFile?fileName=data/images/<name>`. */
function fileNameIn(url: string): string | undefined {
  const { pathname, searchParams } = new URL(url);
  const name = (searchParams.get("fileName") ?? pathname).split("/").at(-1);
  return name?.includes(".") ? name : undefined;
}
