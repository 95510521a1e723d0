import { mount } from "lull/next";
import { lull } from "../../../lib/lull";

export const { GET, HEAD, POST, PUT, PATCH, DELETE } = mount(lull, { at: "/lull" });
