import { deepStrictEqual } from 'node:assert';
import { LIMITS } from '../../src/config/limits.ts';
import type { Search } from './searches.ts';

type Place = { readonly find: string; readonly key?: string };
type Found = { readonly results: readonly { readonly id: string }[]; readonly total: number; readonly facets?: unknown };

export async function ask({ find, key }: Place, search: Search): Promise<{ readonly found: Found; readonly bytes: number }> {
  // A load holds this process up, and a server may close an idle connection meanwhile: none is left idle.
  const headers = { connection: 'close', 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
  // An answer that was cut at its deadline would differ from all others.
  const answer = await fetch(find, { method: 'POST', headers, body: JSON.stringify({ ...search, timeout_ms: LIMITS.pageTimeoutMsMax }) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${find} answered ${answer.status} to ${JSON.stringify(search)}: ${text}`);
  return { found: JSON.parse(text) as Found, bytes: Buffer.byteLength(text) };
}

/** Proves on some searches that a peer does the same work: the same rows in the same order, the same total and facets. */
export async function assertAgreement(ours: Place, peer: Place, name: string, searches: readonly Search[]): Promise<void> {
  const differing: string[] = [];
  for (const search of searches) {
    const [a, b] = [await ask(ours, search), await ask(peer, search)];
    try {
      deepStrictEqual(b.found.results.map(({ id }) => id), a.found.results.map(({ id }) => id));
      deepStrictEqual(b.found.total, a.found.total);
      if (search.facets !== undefined) deepStrictEqual(b.found.facets, a.found.facets);
    } catch (error) {
      differing.push(`${JSON.stringify(search)}: ${(error as Error).message}`);
    }
  }
  if (differing.length > 0) throw new Error(`${name} answers ${differing.length} of ${searches.length} searches otherwise than the lake (if the data was made by an older build, remove its folder):\n${differing[0]!}`);
}

/** How large the answers to some of the searches are on average. */
export async function meanBytes(ours: Place, searches: readonly Search[]): Promise<number> {
  let sum = 0;
  for (const search of searches) sum += (await ask(ours, search)).bytes;
  return Math.round(sum / searches.length);
}
