import type { Facets } from '../model/answer.ts';
import type { Position } from '../plan/plan.ts';
import type { HeldText } from '../pool/tray_protocol.ts';
import type { Report } from './outcome.ts';
import type { PickedRow } from './picked.ts';

export type Page = Report & {
  readonly returned: number;
  readonly rows: readonly PickedRow[];
  /** In place of the rows, where they were wanted as text and came so, in the form that was asked for. It is not cut: whoever has the page releases it. */
  readonly texts: readonly HeldText[] | null;
  /** Where the next page begins; null when no source has a row left. */
  readonly next: Position | null;
  readonly facets: Facets | null;
  /** The same page of so many of its rows, as if no more had been asked for, or where it is `late` the deadline had struck behind them; null where they are text. */
  readonly upTo: ((count: number, late: boolean) => Page) | null;
  /** The same page without the rows that have rotted where they are stored, for whoever has met one, as far as they can be looked at by the deadline; null where they are text. */
  readonly whole: (() => Promise<Page>) | null;
  /** When every lane had answered first, on the monotonic clock. */
  readonly scannedMs: number;
};

/** Member by member: a spread of so many costs more than the page's report. */
export function pageOf({ outcomes, warnings, errors, partial, total, relation }: Report, { returned, rows, texts, next, facets, upTo, whole, scannedMs }: Omit<Page, keyof Report>): Page {
  return { outcomes, warnings, errors, partial, total, relation, returned, rows, texts, next, facets, upTo, whole, scannedMs };
}
