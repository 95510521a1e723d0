export { type QueueOptions, queue } from "./queue.ts";
