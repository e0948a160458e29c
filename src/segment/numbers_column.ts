import { narrowArray } from '../lib/narrow.ts';
import { filteredNumber } from '../model/compare.ts';
import type { FilterSpec } from '../model/filter.ts';
import { NULL, type ScannedRow } from './scanned_row.ts';
import type { SectionDrafts, Sections } from './sections.ts';
import { stampMs } from './stamp.ts';

/** How codes become numbers: base + code * step; `none` is the code of null. With step 0 the numbers stand as doubles, null as NaN. */
export type NumbersScale = { readonly base: number; readonly step: number; readonly none: number };

export class NumbersDraft {
  readonly spec: FilterSpec;
  #values = new Float64Array(1_024);
  #length = 0;

  readonly #place: number;

  constructor(spec: FilterSpec, row: ScannedRow) {
    this.spec = spec;
    this.#place = row.place(spec.field);
  }

  /** Of the row that came last; NaN where it has none. */
  get last(): number {
    return this.#values[this.#length - 1] ?? Number.NaN;
  }

  add(row: ScannedRow): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = this.#numberOf(row);
  }

  #numberOf(row: ScannedRow): number {
    if (row.forms[this.#place] === NULL) return Number.NaN;
    if (this.spec.compares === 'date') return stampMs(row, this.#place);
    return filteredNumber(this.spec, { [this.spec.field]: row.valueOf(this.#place) }) ?? Number.NaN;
  }

  draft(drafts: SectionDrafts, name: string): NumbersScale {
    const values = this.#values.subarray(0, this.#length);
    const scale = scaleOf(values);
    if (scale.step === 0) {
      drafts.add(`${name}.numbers`, values);
      return scale;
    }
    const codes = narrowArray(values.length, scale.none);
    for (let row = 0; row < values.length; row++) {
      const value = values[row]!;
      codes[row] = Number.isNaN(value) ? scale.none : (value - scale.base) / scale.step;
    }
    drafts.add(`${name}.numbers`, codes);
    return scale;
  }
}

/** Codes are compared by signed differences. */
const CODES_MAX = 2 ** 31;

/** Integers that lie on a grid of fewer than 2^31 points need a code each; days need 2 bytes, seconds of a lifetime 4. */
function scaleOf(values: Float64Array): NumbersScale {
  let min = Infinity;
  let max = -Infinity;
  let whole = true;
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    whole &&= Number.isSafeInteger(value);
  }
  if (min > max) return { base: 0, step: 1, none: 0 };
  let step = 0;
  if (whole && Number.isSafeInteger(max - min)) {
    for (const value of values) {
      // What lies on the grid as it is known is told by a division, a tenth as dear as a remainder.
      if (!Number.isNaN(value) && Math.floor((value - min) / step) * step !== value - min) step = gcd(step, value - min);
    }
  }
  const none = (max - min) / (step || 1) + 1;
  return whole && none < CODES_MAX ? { base: min, step: step || 1, none } : { base: 0, step: 0, none: 0 };
}

function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** The numbers of one filter by row. */
export class NumbersColumn {
  readonly codes: Uint8Array | Uint16Array | Uint32Array | Float64Array;
  readonly #scale: NumbersScale;

  constructor(sections: Sections, name: string, scale: NumbersScale) {
    this.codes = sections.numbers(`${name}.numbers`);
    this.#scale = scale;
  }

  /** The number that a code stands for, null for the code of null. */
  number(code: number): number | null {
    const { base, step, none } = this.#scale;
    if (step === 0) return Number.isNaN(code) ? null : code;
    return code === none ? null : base + code * step;
  }

  /** The codes [low, high], both inclusive, of the numbers in [min, max]; never the code of null. Empty where low > high. */
  codesWithin(min: number, max: number): readonly [low: number, high: number] {
    const { base, step, none } = this.#scale;
    if (step === 0) return [min, max];
    return [Math.max(0, Math.ceil((min - base) / step)), Math.min(none - 1, Math.floor((max - base) / step))];
  }
}
