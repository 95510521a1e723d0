import { expect, test } from "vitest";
import { exposition } from "./exposition.ts";
import { METRICS, seriesName } from "./metrics.ts";

test("each metric is told with what it means, once, and then its series", () => {
  const text = exposition({
    'lull_turns_committed_total{outcome="replied"}': 2,
    lull_orphans_total: 0,
    'lull_turns_committed_total{outcome="no-reply"}': 1,
    'lull_answer_seconds_bucket{le="+Inf"}': 3,
    lull_answer_seconds_sum: 4.5,
    lull_answer_seconds_count: 3,
  });
  expect(text).toBe(`# HELP lull_turns_committed_total ${METRICS.lull_turns_committed_total.help}
# TYPE lull_turns_committed_total counter
lull_turns_committed_total{outcome="replied"} 2
lull_turns_committed_total{outcome="no-reply"} 1
# HELP lull_answer_seconds ${METRICS.lull_answer_seconds.help}
# TYPE lull_answer_seconds histogram
lull_answer_seconds_bucket{le="+Inf"} 3
lull_answer_seconds_sum 4.5
lull_answer_seconds_count 3
# HELP lull_orphans_total ${METRICS.lull_orphans_total.help}
# TYPE lull_orphans_total counter
lull_orphans_total 0
`);
});

test("a label may hold anything", () => {
  expect(seriesName("lull_x", { a: 'say "hi"\\\n', b: "1" })).toBe('lull_x{a="say \\"hi\\"\\\\\\n",b="1"}');
});

test("a help is one line that needs no escaping, and a counter is named as one", () => {
  for (const [name, { help, type }] of Object.entries(METRICS)) {
    expect(help).toMatch(/^[^\\\n]+\.$/);
    expect(name.endsWith("_total")).toBe(type === "counter");
    expect(name).toMatch(/^lull_[a-z_]+$/);
  }
});
