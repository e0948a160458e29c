import { LIMITS } from '../../config/limits.ts';
import type { Filter, FilterSpec } from '../../model/filter.ts';
import { lists, type Reader, type Refuse } from './values.ts';

/** `true`, `false`, and the same as strings, in any list form. */
export function readPresence(spec: FilterSpec, refuse: Refuse): Reader {
  const flag = (value: unknown): boolean => {
    const text = typeof value === 'string' && value.length <= LIMITS.filterValueCharactersMax ? value.trim().toLowerCase() : value;
    if (text === true || text === 'true') return true;
    return text === false || text === 'false' ? false : refuse('takes "true" or "false"');
  };
  const only: Filter = { kind: 'presence', name: spec.name, present: true, absent: false };
  return (value) => {
    // Nearly always.
    if (value === true || (Array.isArray(value) && value.length === 1 && value[0] === 'true')) return only;
    const { include, exclude } = lists(value, refuse);
    const wanted = new Set(include?.map(flag) ?? [true, false]);
    for (const value of exclude) wanted.delete(flag(value));
    return { kind: 'presence', name: spec.name, present: wanted.has(true), absent: wanted.has(false) };
  };
}
