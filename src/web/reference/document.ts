/** What the reference reads of an OpenAPI document: as much of JSON Schema as the document of this gateway is written in. */
export type Schema = {
  readonly $ref?: string; readonly description?: string; readonly type?: string | readonly string[]; readonly format?: string; readonly pattern?: string;
  readonly const?: unknown; readonly enum?: readonly unknown[]; readonly anyOf?: readonly Schema[];
  readonly items?: Schema; readonly properties?: Readonly<Record<string, Schema>>; readonly required?: readonly string[]; readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number; readonly maximum?: number; readonly minLength?: number; readonly maxLength?: number;
  readonly minItems?: number; readonly maxItems?: number; readonly minProperties?: number;
};

export type Example = { readonly summary?: string; readonly value: unknown };
export type Media = { readonly schema?: Schema; readonly example?: unknown; readonly examples?: Readonly<Record<string, Example>> };
export type Content = Readonly<Record<string, Media>>;
export type Answer = { readonly description: string; readonly headers: Readonly<Record<string, unknown>>; readonly content?: Content };
export type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean; readonly description?: string; readonly schema: Schema };

export type Operation = {
  readonly operationId: string; readonly tags: readonly [string]; readonly summary: string; readonly description?: string; readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[]; readonly requestBody?: { readonly content: Content }; readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
};

export type ApiDocument = {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, { readonly description: string }>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
};
