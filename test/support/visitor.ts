import { heard } from './heard.ts';

/** A browser without eyes: keeps cookies, sends forms with the proof that their page had. */
export class Visitor {
  readonly #url: string;
  readonly #extra: Readonly<Record<string, string>>;
  readonly cookies = new Map<string, string>();

  constructor(url: string, extra: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#extra = extra;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return this.#ask(path, { headers });
  }

  /** Sends what is given and nothing else. */
  raw(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return this.#ask(path, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } });
  }

  /** As a person would: from the page that has the form. */
  async submit(path: string, fields: Readonly<Record<string, string>>, from = path): Promise<Seen> {
    const csrf = proofIn((await this.get(from)).text);
    return this.raw(path, new URLSearchParams({ ...fields, csrf }).toString(), { 'sec-fetch-site': 'same-origin' });
  }

  async #ask(path: string, request: { readonly method?: string; readonly body?: string; readonly headers: Readonly<Record<string, string>> }): Promise<Seen> {
    await heard();
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(this.#url + path, {
      ...request, redirect: 'manual', headers: { accept: 'text/html', ...this.#extra, ...(cookie !== '' && { cookie }), ...request.headers },
    });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    return { status: answer.status, headers: answer.headers, text: await answer.text(), location: answer.headers.get('location') };
  }

  #keep(line: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    if (value === '') this.cookies.delete(name!);
    else this.cookies.set(name!, value!);
  }
}

type Seen = { readonly status: number; readonly headers: Headers; readonly text: string; readonly location: string | null };

export function proofIn(text: string): string {
  return /name="csrf" value="([\w-]+)"/.exec(text)?.[1] ?? '';
}

/** The key that a page shows; null where it shows none. */
export function keyIn(text: string): string | null {
  return /id="fresh-key">(ld[xa]_[0-9A-Za-z]+)</.exec(text)?.[1] ?? null;
}
