import { LIMITS } from '../../config/limits.ts';

/** A merge holds a block of each part that lies on the disk. By default that is 65,536 rows, of which few parts are all that a statement may hold. */
const BLOCKS = { max_block_size: String(LIMITS.clickhouseSortedRows) };

const MEMORY = 'max_memory_usage';
const SPILLS = 'max_bytes_before_external_sort';
/** Newer servers have it, and sort on their disks once a sort has this part of all memory. */
const SPILLS_RATIO = 'max_bytes_ratio_before_external_sort';

/** What of a server tells how it sorts. */
export const SORT_SETTINGS: readonly string[] = [MEMORY, SPILLS, SPILLS_RATIO];

/**
 * All rows are put in order before the first of them comes, by most servers in memory alone: where they are more than one statement may hold, it would be refused whenever it is
 * asked. With these settings the server goes on on its disk in time, unless its profile sees to that, or bounds no statement.
 */
export function sortSettings(held: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const memoryBytes = Number(held.get(MEMORY) ?? 0);
  const spills = [SPILLS, SPILLS_RATIO].some((setting) => Number(held.get(setting) ?? 0) > 0);
  return memoryBytes === 0 || spills ? BLOCKS : { ...BLOCKS, [SPILLS]: String(Math.floor(memoryBytes / LIMITS.clickhouseSortParts)) };
}
