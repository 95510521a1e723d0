import { userInfo } from "node:os";
import { expect, it } from "vitest";
import { operatingUser } from "./operating-user.ts";

it("names who runs the command, by the id where there is no name", () => {
  expect(operatingUser()).toBe(userInfo().username);
  const nameless = () => {
    throw new Error("uv_os_get_passwd returned ENOENT");
  };
  expect(operatingUser(nameless)).toBe(`uid ${process.getuid?.()}`);
});
