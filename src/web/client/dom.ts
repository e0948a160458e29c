/** An element of the page that must be there. */
export function byId<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${id}.`);
  return found;
}

export type Child = Node | string | null;

/** Text stays text: nothing that came over the wire is read as markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes: Readonly<Record<string, string>>, ...children: readonly Child[]): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

export type Json = { readonly [name: string]: unknown };

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text of a value as a cell shows it; null and what is no text are empty. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return value.toLocaleString('en');
  return Array.isArray(value) ? value.map(shown).join(', ') : '';
}

export type Reply = {
  readonly status: number;
  readonly body: Json;
  readonly requestId: string;
  readonly ms: number;
  /** What is left of the day's calls; null where it was not said. */
  readonly left: string | null;
};

/** One call of the playground's API, timed as the reader feels it. */
export async function post(path: string, body: unknown): Promise<Reply> {
  const startedMs = performance.now();
  const answer = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), credentials: 'omit' });
  const parsed: unknown = await answer.json().catch(() => ({}));
  const left = /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1] ?? null;
  return { status: answer.status, body: isJson(parsed) ? parsed : {}, requestId: answer.headers.get('x-request-id') ?? '', ms: performance.now() - startedMs, left };
}
