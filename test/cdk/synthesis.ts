import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Lull, type LullProps } from "../../src/cdk/index.ts";

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON, and each test says what it expects in it
  readonly Properties: Readonly<Record<string, any>>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  readonly UpdatePolicy?: any;
}

/** A stack for a made-up account. The functions are not bundled: the template is the same without. */
export function newStack(): Stack {
  const app = new App({ context: { "aws:cdk:bundling-stacks": [] } });
  return new Stack(app, "Chat", { env: { account: "111122223333", region: "eu-west-1" } });
}

/** The template of a stack with one `Lull` in it. */
export function synthesise(propsIn: (stack: Stack) => LullProps = () => ({})): Template {
  const stack = newStack();
  new Lull(stack, "Lull", propsIn(stack));
  return Template.fromStack(stack);
}

/** By logical id. */
export function resourcesOf(template: Template, type: string): Record<string, Resource> {
  return template.findResources(type) as Record<string, Resource>;
}

/** By the name of its handler: `webhook`, `api`, `worker` or `sweeper`. */
export function functionsOf(template: Template): Record<string, Resource> {
  const all = Object.values(resourcesOf(template, "AWS::Lambda::Function"));
  return Object.fromEntries(all.map((each) => [String(each.Properties.Handler).replace("index.", ""), each]));
}
