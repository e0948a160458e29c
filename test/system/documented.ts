import assert from 'node:assert/strict';
import { componentSchemas } from '../../src/http/openapi/components.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { Answer, Json } from './service.ts';

const SCHEMAS = new Map(Object.entries(componentSchemas({ contacts: vocabulary('contacts'), companies: vocabulary('companies') })));

/** What any answer in HTTP may have, and what stands on all of this service for browsers' sake. */
const ANYWHERE = new Set([
  'content-type', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'date', 'allow', 'vary', 'cache-control', 'content-security-policy', 'referrer-policy',
  'x-content-type-options', 'access-control-allow-origin', 'access-control-expose-headers', 'uwebsockets',
]);

/** Holds answers against what the OpenAPI document says of their endpoint and status. */
export class Documented {
  readonly #paths: Readonly<Record<string, Json>>;
  readonly #components: Json;
  readonly #seen = new Set<string>();

  constructor(document: Json) {
    this.#paths = document.paths;
    this.#components = document.components;
  }

  /** How many kinds of answers were held against it: operation and status. */
  get kinds(): number {
    return this.#seen.size;
  }

  check(method: string, target: string, { status, headers, json }: Answer): void {
    const path = this.#pathOf(new URL(target, 'http://x').pathname);
    const operation = path === null ? undefined : this.#paths[path][method === 'HEAD' ? 'get' : method.toLowerCase()];
    // What is asked for in vain is no endpoint.
    if (operation === undefined || path === null) return;
    const where = `${method} ${path} ${status}`;
    const told = this.#resolved(operation.responses[status] ?? operation.responses.default);
    assert.ok(told !== undefined, `${where} is not described`);
    this.#seen.add(where);
    const named = new Set(Object.keys(told.headers).map((name) => name.toLowerCase()));
    for (const name of headers.keys()) assert.ok(ANYWHERE.has(name) || named.has(name), `${where} has a header that is not described: ${name}`);
    if (told.content === undefined || method === 'HEAD') return;
    const media = told.content[headers.get('content-type')!.split(';')[0]!];
    assert.ok(media !== undefined, `${where} is ${headers.get('content-type')}, which is not described`);
    const schema = SCHEMAS.get(String(media.schema.$ref).split('/').at(-1)!);
    if (schema === undefined || json === null) return;
    const { success, error } = schema.safeParse(json);
    assert.ok(success, `${where}: ${error?.message}`);
  }

  #pathOf(asked: string): string | null {
    if (asked in this.#paths) return asked;
    return Object.keys(this.#paths).find((path) => path.includes('{') && new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(asked)) ?? null;
  }

  #resolved(part: Json): Json {
    return part?.$ref === undefined ? part : this.#components.responses[part.$ref.split('/').at(-1)];
  }
}
