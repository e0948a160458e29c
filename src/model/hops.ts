/**
 * What one gateway tells another beside the search:
 *
 *   X-Lds-Hops   asked: the gateways that the search has passed, by the names they gave themselves, as `a,b,c`
 *   X-Lds-Order  answered on a stream: `identity`, the order of contract 3.3, so that the rows can be merged and gone on from by their keys
 */
export const HOPS_HEADER = 'x-lds-hops';
export const ORDER_HEADER = 'X-Lds-Order';
export const ORDER_IDENTITY = 'identity';

const HOPS = /^[\w-]{1,32}(?:,[\w-]{1,32}){0,31}$/;

/** Null where nobody passed the search on; what is no list of names counts as one that nobody has. */
export function readHops(header: string | undefined): readonly string[] | null {
  if (header === undefined) return null;
  return HOPS.test(header) ? header.split(',') : [''];
}

export function writeHops(hops: readonly string[]): string {
  return hops.join(',');
}
