import type { ForeignSource, FoundRow, Place, RowsRequest } from '../../src/sources/source.ts';
import { firstNumber, type Phase } from '../../src/sources/sql/phase.ts';
import { walkPhases } from '../../src/sources/sql/walk.ts';
import { compareKeys, type MemoryRow } from '../support/memory_lanes.ts';

/** What a source holds, and where each of its rows stands in an order of it. */
export type Held = {
  readonly name: string;
  readonly identity: readonly MemoryRow[];
  /** A lane of a lake lies in the order of identity, whatever is asked for. */
  readonly stored: readonly MemoryRow[];
};

/** Few keys, so that sources share them; the third class is a row's own. */
const KEYS = ['a@x.org', 'ab@x.org', 'b@x.org', 'é@x.org', 'z@x.org', 'zz@x.org'];

export function hold(name: string, isLake: boolean, count: number, chance: () => number): Held {
  const identity = Array.from({ length: count }, (_, i): MemoryRow => {
    const id = `${name}:${i}`;
    const keyClass = Math.floor(chance() * 3);
    return { id, keyClass, key: keyClass === 2 ? id : KEYS[Math.floor(chance() * KEYS.length)]!, phone: chance() < 0.5 ? null : `${i}` };
  }).sort(compareKeys);
  return { name, identity, stored: isLake ? identity : identity.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

const PHASES: Readonly<Record<RowsRequest['order'], readonly Phase[]>> = {
  stored: [{ where: '', by: '', type: 'text', keyClass: 2 }],
  identity: [0, 1, 2].map((keyClass) => ({ where: '', by: '', type: 'text', keyClass })),
};

const placeOf = (row: MemoryRow, order: RowsRequest['order']): Pick<Place, 'phase' | 'key'> => (order === 'identity' ? { phase: row.keyClass, key: row.key } : { phase: 0, key: row.id });

/** How many rows have been passed at a place. */
export function passedAt(held: Held, order: RowsRequest['order'], place: Place | null): number {
  if (place === null) return 0;
  const passing = place.phase - firstNumber(PHASES[order], []);
  const isBefore = (row: MemoryRow): boolean => {
    const { phase, key } = placeOf(row, order);
    return phase < passing || (phase === passing && Buffer.compare(Buffer.from(key), Buffer.from(place.key)) < 0);
  };
  return held[order].filter(isBefore).length + place.seen;
}

/** A source over rows in memory that walks them as the engines' kits do; `tick` comes before each batch of a stretch. */
export function memorySource(held: Held, batchRows: number, tick: () => Promise<void>): ForeignSource {
  return {
    describe: () => Promise.resolve({ fields: ['id'], filters: {}, trouble: null }),
    figures: () => Promise.resolve({ rows: held.stored.length, updatedAt: null, fill: {}, countries: {} }),
    rows: (request) => walkPhases({ phases: PHASES[request.order], hashed: [] }, request, {
      async *whole({ phase, fromKey }, at) {
        const rows = stretch(held, request.order, phase, at, fromKey);
        for (let from = 0; from < rows.length; from += batchRows) {
          await tick();
          yield rows.slice(from, from + batchRows);
        }
        await tick();
      },
      async page({ phase, fromKey, rowsMax }, at) {
        await tick();
        const rows = stretch(held, request.order, phase, at, fromKey).slice(0, rowsMax);
        return { rows, isLast: rows.length < rowsMax };
      },
    }),
    count: async () => {
      await tick();
      return { sure: held.stored.length, unsure: [] };
    },
    facet: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  };
}

function stretch(held: Held, order: RowsRequest['order'], phase: Phase, at: number, fromKey: string | null): FoundRow[] {
  return held[order]
    .filter((row) => PHASES[order][placeOf(row, order).phase] === phase && (fromKey === null || Buffer.compare(Buffer.from(placeOf(row, order).key), Buffer.from(fromKey)) >= 0))
    .map((row) => ({
      json: JSON.stringify({ id: row.id, source: held.name, sources: [held.name], phone: row.phone }),
      phase: at, key: placeOf(row, order).key, keyClass: order === 'identity' ? row.keyClass : 2, sure: true,
    }));
}
