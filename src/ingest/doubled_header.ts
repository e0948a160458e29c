import { LIMITS } from '../config/limits.ts';
import { fieldsMeant } from './mapping.ts';

type Records = readonly (readonly string[])[];

const KNOWN_MIN = 2;
const GROUPS_MIN = 2;

/** Whether the first record names groups of columns, as merged cells of a sheet do (`Person;;;Company;`), and the second the columns. */
export function isGroups([groups = [], columns = []]: Records): boolean {
  const known = knownIn(columns);
  return groups.length === columns.length && groups.includes('') && !columns.includes('') && known >= KNOWN_MIN && known > knownIn(groups);
}

/** The columns below several groups, each named by its group too where that tells of another field: a `Name` below `Company`. A blank is of the group before. */
export function inGroups(groups: readonly string[], columns: readonly string[]): readonly string[] {
  if (groups.filter((cell) => cell.trim() !== '').length < GROUPS_MIN) return columns;
  let group = '';
  return columns.map((column, at) => {
    if (at >= LIMITS.ingestColumnsMax) return column;
    group = groups[at]?.trim() || group;
    const alone = fieldsMeant(column);
    const names = [`${group} ${column}`, ...(alone.includes('full_name') && fieldsMeant(group).includes('company_name') ? [group] : [])];
    return names.find((name) => group !== '' && alone.length > 0 && fieldsMeant(name).some((field) => !alone.includes(field))) ?? column;
  });
}

/** The record below the header where it is one as well, in other words for the same fields: the names that a program has for them, or another language. */
export function secondHeader([header = [], cells = []]: Records): readonly string[] | null {
  const columns = header.slice(0, LIMITS.ingestColumnsMax);
  const said = columns.map((column, at) => ({ meant: fieldsMeant(column), cell: cells[at] ?? '' })).filter(({ meant, cell }) => meant.length > 0 && cell !== '');
  const isOne = said.length >= KNOWN_MIN && said.every(({ meant, cell }) => fieldsMeant(cell).some((field) => meant.includes(field)));
  return isOne ? cells : null;
}

const knownIn = (columns: readonly string[]): number => columns.slice(0, LIMITS.ingestColumnsMax).filter((column) => fieldsMeant(column).length > 0).length;
