import { peerSettings } from "./peer-settings.ts";
import { serveForms } from "./serve-webhooks.ts";

serveForms(peerSettings().port);
