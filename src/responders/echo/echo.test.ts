import { expect, test } from "vitest";
import { fakeTurn } from "../../testing/fake-turn.ts";
import { echo } from "./echo.ts";

test("one message is said back", () => {
  expect(echo()(fakeTurn("are you open?"))).toBe("You said: are you open?");
});

test("a burst is said back in one answer, in order", () => {
  expect(echo()(fakeTurn(["hi", "a table", "for two"]))).toBe(
    "3 messages, one answer:\nhi\na table\nfor two",
  );
});

test("what was attached is named", () => {
  const media = [
    { url: "https://example.com/1", contentType: "image/jpeg" },
    { url: "https://example.com/2", contentType: "application/pdf", name: "menu.pdf" },
  ];
  const turn = fakeTurn("", { messages: [{ id: "1", text: "look", media, arrivedAtMs: 1 }] });
  expect(echo()(turn)).toBe("You said: look (image/jpeg) (menu.pdf)");
});

test("a message without anything readable still gets an answer", () => {
  expect(echo()(fakeTurn(""))).toBe("You said: (nothing I can read)");
  expect(echo()(fakeTurn([]))).toBe("I heard nothing.");
});
