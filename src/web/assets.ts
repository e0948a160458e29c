import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { codingQualities, type CodingQualities } from '../encode/negotiate.ts';
import { namesEtag } from '../lib/etag.ts';
import type { PageAnswer, PageRequest, PageRoute } from '../model/page.ts';
import { AppError } from '../model/errors.ts';
import { ICON, type AssetUrl } from './layout.ts';
import { STYLESHEET } from './style/stylesheet.ts';

type Asset = { readonly bytes: Buffer; readonly contentType: string; readonly etag: string; /** Made when first asked for. */ packed: Promise<Buffer> | null };

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
/** The compiled scripts. */
const CLIENT = join(import.meta.dirname, 'client');
/** Beneath the house's own rules, whatever their weight. */
const REFERENCE_STYLE = '@import url("swagger-ui.css") layer(reference);\n';
const REFERENCE = [['swagger-ui.css', CSS], ['swagger-ui-bundle.js', JAVASCRIPT]] as const;
const PACKED_BYTES_MIN = 1_024;
const KEPT = 'public, max-age=31536000, immutable';

/**
 * The files that pages are made of, in memory. All have one version in their address, that of their bytes together, so that
 * scripts import each other by name; what asks for another version, while a newer gateway takes over, gets the present one unkept.
 */
export class Assets {
  readonly #files: ReadonlyMap<string, Asset>;
  readonly #version: string;

  constructor() {
    this.#files = new Map([...ownFiles(), ...referenceFiles()]);
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
    const { contentType, etag } = asset;
    const cacheControl = parameters.get('version') === this.#version ? KEPT : 'no-cache';
    const tagged = [['ETag', etag], ['Vary', 'Accept-Encoding']] as const;
    if (namesEtag(headers.get('if-none-match'), etag)) return { status: 304, headers: tagged, body: '', contentType, cacheControl };
    if (!packs(asset, codingQualities(headers.get('accept-encoding')))) return { status: 200, headers: tagged, body: asset.bytes, contentType, cacheControl };
    const body = await (asset.packed ??= promisify(gzip)(asset.bytes));
    return { status: 200, headers: [...tagged, ['Content-Encoding', 'gzip']], body, contentType, cacheControl };
  }
}

/** What is small is packed only for whoever refuses it as it is. */
function packs({ bytes }: Asset, { identity, gzip: packed }: CodingQualities): boolean {
  if (identity === 0 && packed === 0) throw new AppError('not_acceptable', 'This file comes as it is, or in gzip.');
  return packed > 0 && (bytes.byteLength < PACKED_BYTES_MIN ? identity === 0 : packed >= identity);
}

function ownFiles(): [string, Asset][] {
  const names = readdirSync(CLIENT).filter((name) => name.endsWith('.js')).sort();
  const scripts = names.map((name): [string, Asset] => [name, asset(readFileSync(join(CLIENT, name)), JAVASCRIPT)]);
  return [['site.css', asset(Buffer.from(STYLESHEET), CSS)], ['reference.css', asset(Buffer.from(REFERENCE_STYLE), CSS)], ['icon.svg', asset(Buffer.from(ICON), 'image/svg+xml')], ...scripts];
}

function referenceFiles(): [string, Asset][] {
  const { resolve } = createRequire(import.meta.url);
  return REFERENCE.map(([name, contentType]) => [name, asset(readFileSync(resolve(`swagger-ui-dist/${name}`)), contentType)]);
}

function asset(read: Buffer, contentType: string): Asset {
  // The maps that the comments name are not served.
  const bytes = Buffer.from(read.toString('utf8').replace(/\n\/[/*]# sourceMappingURL=\S+(?: \*\/)?\s*$/, '\n'));
  return { bytes, contentType, etag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`, packed: null };
}
