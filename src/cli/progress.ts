import type { Extent, Stage } from '../ingest/progress.ts';
import type { Terminal } from './command.ts';

const REDRAW_MS = 200;
const LINE_MS = 5_000;
const BAR_CHARACTERS = 24;

/** Shows stages on the terminal: one line drawn over where that works, a plain line every few seconds where not. */
export function terminalStage(terminal: Terminal): Stage {
  return async (name, extent, work) => {
    const started = performance.now();
    let rows = 0;
    const show = (end: string): void => terminal.note(`${terminal.interactive ? '\r\u001b[K' : ''}${lineOf(name, extent, rows, performance.now() - started)}${end}`);
    const timer = setInterval(() => show(terminal.interactive ? '' : '\n'), terminal.interactive ? REDRAW_MS : LINE_MS);
    try {
      const result = await work((more) => { rows += more; });
      if (terminal.interactive) terminal.note(`\r\u001b[K${name} ${seconds(performance.now() - started)}${rateOf(rows, performance.now() - started)}\n`);
      return result;
    } catch (error) {
      if (terminal.interactive) terminal.note('\n');
      throw error;
    } finally {
      clearInterval(timer);
    }
  };
}

/** `indexing [#####-----]  41 %  1.2 s  31,000 rows/s` */
export function lineOf(name: string, extent: Extent, rows: number, elapsedMs: number): string {
  const share = typeof extent === 'number' ? rows / Math.max(1, extent) : (extent?.fraction() ?? null);
  if (share === null) return `${name} ${seconds(elapsedMs)}`;
  const filled = Math.round(Math.min(1, share) * BAR_CHARACTERS);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_CHARACTERS - filled)}] ${String(Math.floor(Math.min(1, share) * 100)).padStart(3)} %`;
  return `${name} ${bar} ${seconds(elapsedMs)}${rateOf(rows, elapsedMs)}`;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const rateOf = (rows: number, ms: number): string => (rows === 0 ? '' : `, ${Math.round(rows / Math.max(ms / 1_000, 0.001)).toLocaleString('en')} rows/s`);
