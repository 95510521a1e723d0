import { LullError } from "../errors.ts";

/**
 * A body that the server in front of us has read, as body parsers do. What they make of it cannot be turned
 * back into what was signed.
 */
export class BodyAlreadyRead extends LullError {
  override readonly name = "BodyAlreadyRead";

  constructor() {
    super(
      "the body was read before the request came to Lull, and a signature counts for the body as it came: " +
        "mount Lull in front of whatever reads bodies (express.json(), express.urlencoded(), c.req.json(), " +
        "request.formData())",
      { code: "BODY_ALREADY_READ", retry: "never" },
    );
  }
}
