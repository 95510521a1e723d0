export { type ChannelHarness, type ContractCase, channelContract } from "./channel-contract.ts";
export type { ContractProvider, ContractSubject, ProviderMood } from "./channel-contract-subject.ts";
export {
  type EngineCase,
  type EngineFixture,
  type EngineHarness,
  engineContract,
  engineFixture,
  type Skip,
} from "./engine-contract/index.ts";
export { type FakeClock, fakeClock } from "./fake-clock.ts";
export {
  type FakeOpenai,
  type FakeOpenaiBehaviour,
  type FakeOpenaiRequest,
  fakeItem,
  fakeMessage,
  fakeOpenai,
  fakeToolCall,
} from "./fake-openai.ts";
export type {
  FakeBehaviour,
  FakeDecision,
  FakeError,
  FakeRequest,
  FakeServer,
  FakeWebhook,
} from "./fake-server.ts";
export { type FakeTwilio, type FakeTwilioOptions, fakeTwilio } from "./fake-twilio.ts";
export type { FakeTwilioInbound, FakeTwilioMessage } from "./fake-twilio-message.ts";
export type {
  FakeTwilioNumber,
  FakeTwilioSender,
  FakeTwilioService,
  FakeTwilioSettings,
} from "./fake-twilio-settings.ts";
export {
  type FakeWati,
  type FakeWatiContact,
  type FakeWatiInbound,
  type FakeWatiMessage,
  type FakeWatiOptions,
  fakeWati,
} from "./fake-wati.ts";
export { type Exploration, type ExploreOptions, explore } from "./simulator/explore.ts";
export { type Plan, planFrom } from "./simulator/plan.ts";
export { shrink } from "./simulator/shrink.ts";
export { type SimulateOptions, type Simulation, simulate } from "./simulator/simulate.ts";
export { timeline } from "./simulator/timeline.ts";
export { type TestChannel, testChannel } from "./test-channel.ts";
export { type TestLull, type TestLullConfig, testLull } from "./test-lull.ts";
