export { type HttpOptions, http } from "./http.ts";
