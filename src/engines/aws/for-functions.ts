/** What functions need besides the engine itself: Lambda polls the queues, and brings them their triggers. */
export { sqsClient } from "./options.ts";
export { type Trigger, triggerFrom } from "./queue/triggers.ts";
