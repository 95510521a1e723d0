export { type FakeClock, fakeClock } from "./fake-clock.ts";
export { type TestChannel, testChannel } from "./test-channel.ts";
export { type TestLull, type TestLullConfig, testLull } from "./test-lull.ts";
