import { spreadOf } from './figures.ts';

/** Figures of one kind, one a round. */
export type Figures = { readonly name: string; readonly unit: string; readonly figures: readonly number[] };

/** `rounds`: where they are others than were asked for. */
export type Report = { readonly rounds?: number; readonly figures: readonly Figures[]; readonly notes: readonly string[] };
type Titled = Required<Report> & { readonly bench: string; readonly rows: number; readonly seed: number };

/** Ours divided by theirs, round by round: what drifts with the machine cancels out. */
export function ratio(name: string, ours: readonly number[], theirs: readonly number[]): Figures {
  return { name, unit: 'times', figures: ours.map((figure, round) => figure / theirs[round]!) };
}

export function asJson({ figures, ...report }: Titled): string {
  return JSON.stringify({ ...report, figures: figures.map(({ name, unit, figures: all }) => ({ name, unit, ...spreadOf(all), all })) });
}

export function asTable({ bench, rows, seed, rounds, figures, notes }: Titled): string {
  const lines = figures.map(({ name, unit, figures: all }): [string, string, string, string] => {
    const { min, median, max } = spreadOf(all);
    return [name, digits(median), all.length < 2 ? '' : `${digits(min)} to ${digits(max)}`, unit];
  });
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]!.length)));
  const table = lines.map(([name, median, spread, unit]) => `  ${name.padEnd(widths[0]!)}  ${median.padStart(widths[1]!)}  ${spread.padStart(widths[2]!)}  ${unit}`);
  return [`${bench}: ${rows.toLocaleString('en')} contacts of seed ${seed}, ${rounds} rounds, median and spread`, ...table, ...notes.map((note) => `  ${note}`), ''].join('\n');
}

function digits(figure: number): string {
  if (!Number.isFinite(figure)) return '-';
  return Math.abs(figure) >= 100 ? Math.round(figure).toLocaleString('en') : figure.toPrecision(3);
}
