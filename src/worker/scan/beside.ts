import type { ScanRequest } from '../../pool/protocol.ts';
import { BLOCK_ROWS } from '../../segment/layout.ts';
import { countAtOnce, countMatches } from './count.ts';
import type { ScanTarget } from './target.ts';

/** What is mounted; of what cannot be opened it throws. */
export type Targets = Pick<ReadonlyMap<string, ScanTarget>, 'get'>;

/** Matches in small segments beside the one that is scanned: a scan of its own would cost more than they do. Null where not all of them tell theirs at once; why one cannot, that scan tells. */
export function countBeside(targets: Targets, request: ScanRequest): readonly number[] | null {
  const counts: number[] = [];
  try {
    for (const segment of request.beside) {
      const target = targets.get(segment);
      const matched = target === undefined ? null : countSmall(target, request);
      if (matched === null) return null;
      counts.push(matched);
    }
  } catch {
    return null;
  }
  return counts;
}

function countSmall({ segment, dead, readings }: ScanTarget, { filters, terms }: ScanRequest): number | null {
  const counted = { reading: readings.read(filters, terms), dead, segment };
  const known = countAtOnce(counted);
  if (known !== null || segment.rows > BLOCK_ROWS || counted.reading.rowClauses.length > 0) return known;
  const steps = countMatches(counted);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
