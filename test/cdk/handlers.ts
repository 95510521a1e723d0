export const webhook = async () => ({ statusCode: 200 });
export const worker = async () => ({ batchItemFailures: [] });
export const sweeper = async () => {};
