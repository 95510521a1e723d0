import { describe, expect, it } from "vitest";
import { nameOf, neverConnected } from "./connection-failure.ts";

describe("a request that failed", () => {
  it("never connected where the system call says so, however deep it is wrapped", () => {
    expect(neverConnected({ cause: { code: "ECONNREFUSED", syscall: "connect" } })).toBe(true);
    expect(neverConnected({ cause: { errors: [{ syscall: "connect" }, { syscall: "getaddrinfo" }] } })).toBe(
      true,
    );
    expect(neverConnected({ code: "UND_ERR_CONNECT_TIMEOUT" })).toBe(true);
    expect(neverConnected({ code: "CERT_HAS_EXPIRED" })).toBe(true);
  });

  it("may have been sent in every other case", () => {
    expect(neverConnected({ code: "ECONNRESET", syscall: "read" })).toBe(false);
    expect(neverConnected({ errors: [{ syscall: "connect" }, { syscall: "read" }] })).toBe(false);
    expect(neverConnected({ errors: [] })).toBe(false);
    expect(neverConnected(undefined)).toBe(false);
    expect(neverConnected("down")).toBe(false);
  });

  it("has a name that holds no address", () => {
    expect(nameOf({ cause: { code: "ECONNREFUSED" } })).toBe("ECONNREFUSED");
    expect(nameOf(new TypeError("https://example.com/+15550100"))).toBe("TypeError");
    expect(nameOf("down")).toBe("unknown error");
    expect(nameOf({})).toBe("unknown error");
  });
});
