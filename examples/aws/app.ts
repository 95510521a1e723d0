// A WhatsApp bot on AWS. See README.md beside this file.

import { App } from "aws-cdk-lib";
import { ChatStack } from "./chat-stack.ts";

// Your account and region. Written out, so that the template can be made without asking AWS anything.
new ChatStack(new App(), "Chat", { env: { account: "111122223333", region: "eu-west-1" } });
