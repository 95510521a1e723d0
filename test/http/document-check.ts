/** What of JSON Schema the published document uses. */
export interface DocumentSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly DocumentSchema[];
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | DocumentSchema;
  readonly items?: DocumentSchema;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface Media {
  readonly content: { readonly "application/json": { readonly schema: DocumentSchema } };
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: Media;
  readonly responses: Readonly<Record<string, Media>>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DocumentSchema>> };
}

const KNOWN = new Set(
  [
    "$ref type const enum anyOf properties required additionalProperties items",
    "format pattern minimum maximum minLength maxLength description default",
  ].flatMap((words) => words.split(" ")),
);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: Number.isFinite,
};

/**
 * A reader of the document that shares no code with the service: it reads an answer as a client of
 * other people would. It remembers which properties it saw, so that a test can tell which were never seen.
 */
export class DocumentCheck {
  readonly #document: Document;
  readonly #seen = new Set<string>();
  readonly #asked = new Set<string>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** What an answer has that the document does not describe, or lacks that it promises. */
  problemsIn(method: string, path: string, status: number, body: unknown): string[] {
    const operation = this.#document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) return [`${method} ${path} is not in the document`];
    this.#asked.add(`${method} ${path} ${status}`);
    const answer = operation.responses[status] ?? (status >= 400 ? operation.responses.default : undefined);
    if (answer === undefined) return [`${method} ${path}: ${status} is not in the document`];
    const where = `${method} ${path} ${operation.responses[status] ? status : "default"}`;
    return this.#check(body, answer.content["application/json"].schema, where, where);
  }

  /** Answers that the document promises and that were never given. */
  ungiven(): string[] {
    return Object.entries(this.#document.paths)
      .flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, { responses }]) =>
          Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
        ),
      )
      .filter((answer) => !answer.endsWith("default") && !this.#asked.has(answer));
  }

  /** Properties of the components that no answer had. */
  unseen(): string[] {
    return Object.entries(this.#document.components.schemas)
      .flatMap(([name, schema]) => propertiesIn(schema, name))
      .filter((place) => !this.#seen.has(place));
  }

  #check(value: unknown, schema: DocumentSchema, where: string, place: string): string[] {
    const strange = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
    if (strange.length > 0) return [`${place}: this check does not know ${strange.join(", ")}`];
    if (schema.$ref !== undefined) return this.#checkReference(value, schema.$ref, where);
    if (schema.anyOf)
      return schema.anyOf.some((each) => this.#check(value, each, where, place).length === 0)
        ? []
        : [`${where}: none of anyOf`];
    if (schema.type !== undefined && !TYPES[schema.type]?.(value)) return [`${where}: not ${schema.type}`];
    if (schema.enum && !schema.enum.includes(value)) return [`${where}: ${value} is not in the enum`];
    if ("const" in schema && schema.const !== value) return [`${where}: ${value} is not ${schema.const}`];
    if (typeof value === "string") return textProblems(value, schema, where);
    if (typeof value === "number") return numberProblems(value, schema, where);
    if (Array.isArray(value))
      return value.flatMap((each, at) =>
        this.#check(each, schema.items ?? {}, `${where}[${at}]`, `${place}[]`),
      );
    return schema.type === "object" ? this.#checkObject(value as object, schema, where, place) : [];
  }

  #checkReference(value: unknown, reference: string, where: string): string[] {
    const name = reference.replace("#/components/schemas/", "");
    const target = this.#document.components.schemas[name];
    return target ? this.#check(value, target, where, name) : [`${where}: ${reference} leads nowhere`];
  }

  #checkObject(value: object, schema: DocumentSchema, where: string, place: string): string[] {
    const { properties = {}, required = [], additionalProperties = true } = schema;
    const missing = required.filter((key) => !Object.hasOwn(value, key));
    const found = Object.entries(value).flatMap(([key, each]) => {
      const at = `${where}.${key}`;
      this.#seen.add(`${place}.${key}`);
      if (Object.hasOwn(properties, key))
        return this.#check(each, properties[key] as DocumentSchema, at, `${place}.${key}`);
      if (additionalProperties === false) return [`${at} is not in the document`];
      return additionalProperties === true ? [] : this.#check(each, additionalProperties, at, `${place}.*`);
    });
    return [...missing.map((key) => `${where}.${key} is missing`), ...found];
  }
}

function textProblems(value: string, schema: DocumentSchema, where: string): string[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format, pattern } = schema;
  const isTime = format !== "date-time" || new Date(value).toISOString() === value;
  const fits = pattern === undefined || new RegExp(pattern, "u").test(value);
  return isTime && fits && value.length >= minLength && value.length <= maxLength
    ? []
    : [`${where}: text does not fit`];
}

function numberProblems(value: number, schema: DocumentSchema, where: string): string[] {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  return value >= minimum && value <= maximum ? [] : [`${where}: ${value} is out of range`];
}

function propertiesIn(schema: DocumentSchema, place: string): string[] {
  if (schema.items) return propertiesIn(schema.items, `${place}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([key, each]) => [
    `${place}.${key}`,
    ...propertiesIn(each, `${place}.${key}`),
  ]);
}
