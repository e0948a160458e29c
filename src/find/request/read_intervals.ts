import { DAY_MS } from '../../lib/day.ts';
import { isObject } from '../../model/json.ts';
import type { FilterSpec, Interval } from '../../model/filter.ts';
import { LISTED, lists, members, type Reader, type Refuse } from './values.ts';

/** The interval that one value means: a number a point, a day all its milliseconds. Null where it is none. */
type Parse = (value: unknown) => Interval | null;

const RANGED = ['min', 'max', 'exclude'] as const;
const TAKES = 'min and max, or of include, with exclude beside either or alone';

export function readIntervals(spec: FilterSpec, refuse: Refuse): Reader {
  const parse: Parse = spec.compares === 'date' ? parseTime : parseNumber;
  const takes = spec.compares === 'date' ? 'dates and times as ISO 8601, like 2024-01-31 or 2024-01-31T09:30:00Z' : 'finite numbers';
  const read = (value: unknown): Interval => parse(value) ?? refuse(`takes ${takes}`);

  const range = (value: { readonly min?: unknown; readonly max?: unknown }): Interval => {
    const min = value.min === undefined ? -Infinity : read(value.min)[0];
    const max = value.max === undefined ? Infinity : read(value.max)[1];
    return min <= max ? [min, max] : refuse('has a min above its max, so that no value lies between: exchange them, or leave one out');
  };

  return (value) => {
    const ranged = isObject(value) && ('min' in value || 'max' in value);
    if (isObject(value)) members(value, ranged ? RANGED : LISTED, refuse, TAKES);
    if (ranged) {
      const exclude = value.exclude === undefined ? [] : lists({ exclude: value.exclude }, refuse).exclude.map(read);
      return { kind: 'intervals', name: spec.name, include: [range(value)], exclude: unique(exclude) };
    }
    const { include, exclude } = lists(value, refuse);
    return { kind: 'intervals', name: spec.name, include: include && unique(include.map(read)), exclude: unique(exclude.map(read)) };
  };
}

const DECIMAL = /^[+-]?\d{1,32}(?:\.\d{1,32})?(?:[eE][+-]?\d{1,3})?$/;

function parseNumber(value: unknown): Interval | null {
  const number = typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  const signless = number === 0 ? 0 : number;
  return [signless, signless];
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[Tt ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?)([Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/;

/** A day without a time is the whole UTC day; a time without a zone is UTC. */
function parseTime(value: unknown): Interval | null {
  const [, day, clock, zone = 'Z'] = (typeof value === 'string' && TIME.exec(value.trim())) || [];
  if (day === undefined) return null;
  const startMs = Date.parse(`${day}T00:00:00Z`);
  // A 30th of February reads as a day of March.
  if (Number.isNaN(startMs) || !new Date(startMs).toISOString().startsWith(day)) return null;
  if (clock === undefined) return [startMs, startMs + DAY_MS - 1];
  const timeMs = startMs + clockMs(clock) - offsetMs(zone);
  return [timeMs, timeMs];
}

function clockMs(clock: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return hours * 3_600_000 + minutes * 60_000 + Math.floor(seconds * 1_000 + 1e-6);
}

function offsetMs(zone: string): number {
  if (zone.length < 2) return 0;
  const digits = zone.replace(':', '');
  const minutes = Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3, 5));
  return (zone[0] === '-' ? -minutes : minutes) * 60_000;
}

function unique(intervals: readonly Interval[]): readonly Interval[] {
  return intervals.length < 2 ? intervals : [...new Map(intervals.map((interval) => [interval.join(), interval])).values()];
}
