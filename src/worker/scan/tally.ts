import type { Reading } from '../../filter/reading.ts';
import type { ScanReply, ScanRequest } from '../../pool/protocol.ts';
import { countMatches, type Counted } from './count.ts';
import { countFacets } from './facets.ts';
import type { Interrupt } from './interrupt.ts';
import type { Steps } from './steps.ts';
import type { ScanTarget } from './target.ts';

export type Totals = Pick<Extract<ScanReply, { readonly ok: true }>, 'matched' | 'facets'>;

/** The total and the facets of one scan, counted step by step; between two steps it may rest for as long as its caller waits. */
export class Tally {
  readonly #steps: Steps<Totals>;

  /** `known`: the total, where the rows told it. */
  constructor(target: ScanTarget, prepared: () => Reading, request: ScanRequest, known: number | null) {
    this.#steps = tally(target, prepared, request, known);
  }

  /** Null where it was struck, or its slice was spent: one step is always taken. */
  advance(interrupt: Interrupt): Totals | null {
    while (interrupt.struck() === null) {
      const { done, value } = this.#steps.next();
      if (done === true) return value;
      if (interrupt.spent()) return null;
    }
    return null;
  }
}

/** No function of each tally's own: a generator's first call makes a hidden class, which holds all that its function sees until a full collection. */
function* tally({ segment, dead }: ScanTarget, prepared: () => Reading, { count, facets }: ScanRequest, known: number | null): Steps<Totals> {
  const counted = (): Counted => ({ reading: prepared(), dead, segment });
  const matched = count ? known ?? (yield* countMatches(counted())) : null;
  return { matched, facets: facets.length > 0 ? yield* countFacets(segment, facets, counted(), matched) : null };
}
