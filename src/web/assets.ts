import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIES } from '../encode/negotiate.ts';
import { namesEtag } from '../lib/etag.ts';
import type { PageAnswer, PageRequest, PageRoute } from '../model/page.ts';
import { AppError } from '../model/errors.ts';
import { ICON, type AssetUrl } from './layout.ts';
import { Packed } from './packed.ts';
import { STYLESHEET } from './style/stylesheet.ts';

type Asset = { readonly file: Packed; readonly contentType: string; readonly etag: string };

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
/** The compiled scripts. */
const CLIENT = join(import.meta.dirname, 'client');
const KEPT = 'public, max-age=31536000, immutable';

/**
 * The files that pages are made of, in memory. All have one version in their address, that of their bytes together, so that
 * scripts import each other by name; what asks for another version, while a newer gateway takes over, gets the present one unkept.
 */
export class Assets {
  readonly #files: ReadonlyMap<string, Asset>;
  readonly #version: string;

  constructor() {
    this.#files = new Map(files());
    const all = createHash('sha256');
    for (const { etag } of this.#files.values()) all.update(etag);
    this.#version = all.digest('base64url').slice(0, 12).replace(/^[_-]/, '0');
  }

  readonly url: AssetUrl = (name) => {
    if (!this.#files.has(name)) throw new Error(`There is no file ${name} for pages.`);
    return `/assets/${this.#version}/${name}`;
  };

  get route(): PageRoute {
    return { method: 'GET', path: '/assets/{version}/{name}', handle: (request) => this.#answer(request) };
  }

  async #answer({ parameters, headers }: PageRequest): Promise<PageAnswer> {
    const asset = this.#files.get(parameters.get('name')!);
    if (asset === undefined) throw new AppError('not_found', 'There is no such file.');
    const { file, contentType, etag } = asset;
    const cacheControl = parameters.get('version') === this.#version ? KEPT : 'no-cache';
    const known = namesEtag(headers.get('if-none-match'), etag);
    const { headers: coded, body } = known ? { headers: VARIES, body: '' } : await file.answer(headers.get('accept-encoding'));
    return { status: known ? 304 : 200, headers: [['ETag', etag], ...coded], body, contentType, cacheControl };
  }
}

function files(): [string, Asset][] {
  const names = readdirSync(CLIENT).filter((name) => name.endsWith('.js')).sort();
  const scripts = names.map((name): [string, Asset] => [name, asset(readFileSync(join(CLIENT, name)), JAVASCRIPT)]);
  return [['site.css', asset(Buffer.from(STYLESHEET), CSS)], ['icon.svg', asset(Buffer.from(ICON), 'image/svg+xml')], ...scripts];
}

function asset(read: Buffer, contentType: string): Asset {
  // The maps that the comments name are not served.
  const bytes = Buffer.from(read.toString('utf8').replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n'));
  return { file: new Packed(bytes), contentType, etag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}
