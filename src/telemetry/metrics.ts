import { braced, Series, written, type Label } from './series.ts';

type Cell = { value: number };
type Samples = () => Iterable<readonly [labels: readonly Label[], value: number]>;

/** Metrics in memory, written out as Prometheus text when asked. Observing builds no strings, and through a held cell allocates nothing. */
export class Metrics {
  readonly #metrics = new Map<string, Metric>();

  counter(name: string, help: string, labels: readonly string[] = []): Counter {
    return this.#add(new Counter(name, help, labels));
  }

  /** Read when the metrics are: a number, or one for each set of label values. */
  gauge(name: string, help: string, read: () => number): void;
  gauge(name: string, help: string, labels: readonly string[], read: Samples): void;
  gauge(name: string, help: string, labels: readonly string[] | (() => number), read?: Samples): void {
    this.#read('gauge', name, help, labels, read);
  }

  /** A counter that is kept elsewhere, such as in the kernel. */
  counterOf(name: string, help: string, read: () => number): void;
  counterOf(name: string, help: string, labels: readonly string[], read: Samples): void;
  counterOf(name: string, help: string, labels: readonly string[] | (() => number), read?: Samples): void {
    this.#read('counter', name, help, labels, read);
  }

  /** `bounds` are the upper ends of the buckets, ascending; the one without end is implied. */
  histogram(name: string, help: string, bounds: readonly number[], labels: readonly string[] = []): Histogram {
    return this.#add(new Histogram(name, help, labels, bounds));
  }

  text(): string {
    const lines: string[] = [];
    for (const metric of this.#metrics.values()) {
      lines.push(`# HELP ${metric.name} ${metric.help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`, `# TYPE ${metric.name} ${metric.type}`);
      metric.write(lines);
    }
    return `${lines.join('\n')}\n`;
  }

  #read(type: Reading['type'], name: string, help: string, labels: readonly string[] | (() => number), read: Samples | undefined): void {
    this.#add(typeof labels === 'function' ? new Reading(name, help, [], type, () => [[[], labels()]]) : new Reading(name, help, labels, type, read!));
  }

  #add<M extends Metric>(metric: M): M {
    if (this.#metrics.has(metric.name)) throw new Error(`Metric ${metric.name} stands twice.`);
    this.#metrics.set(metric.name, metric);
    return metric;
  }
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Metric = { readonly name: string; readonly help: string; readonly type: 'counter' | 'gauge' | 'histogram'; write(lines: string[]): void };

export class Counter implements Metric {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #series: Series<Cell>;

  constructor(name: string, help: string, labels: readonly string[]) {
    this.name = name;
    this.help = help;
    this.#series = new Series(labels, () => ({ value: 0 }));
  }

  add(amount: number, ...labels: readonly Label[]): void {
    this.#series.at(labels).value += amount;
  }

  write(lines: string[]): void {
    for (const [labels, cell] of this.#series.all()) lines.push(`${this.name}${braced(labels)} ${cell.value}`);
  }
}

export class Histogram implements Metric {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #series: Series<Distribution>;

  constructor(name: string, help: string, labels: readonly string[], bounds: readonly number[]) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
    this.#series = new Series(labels, () => new Distribution(bounds));
  }

  at(...labels: readonly Label[]): Distribution {
    return this.#series.at(labels);
  }

  observe(value: number, ...labels: readonly Label[]): void {
    this.#series.at(labels).observe(value);
  }

  write(lines: string[]): void {
    for (const [labels, { counts, sum }] of this.#series.all()) {
      const lead = labels === '' ? '' : `${labels},`;
      let below = 0;
      for (const [index, bound] of [...this.#bounds, '+Inf'].entries()) {
        below += counts[index]!;
        lines.push(`${this.name}_bucket{${lead}le="${bound}"} ${below}`);
      }
      lines.push(`${this.name}_sum${braced(labels)} ${sum}`, `${this.name}_count${braced(labels)} ${below}`);
    }
  }
}

class Distribution {
  readonly #bounds: readonly number[];
  /** Per bucket, not yet summed up. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sum += value;
  }
}

class Reading implements Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly #labels: readonly string[];
  readonly #read: Samples;

  constructor(name: string, help: string, labels: readonly string[], type: 'counter' | 'gauge', read: Samples) {
    this.name = name;
    this.help = help;
    this.type = type;
    this.#labels = labels;
    this.#read = read;
  }

  /** What the system does not tell at the moment, as where no file can be opened any more, has no sample: all else is told. */
  write(lines: string[]): void {
    try {
      lines.push(...this.#lines());
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
    }
  }

  #lines(): string[] {
    return Array.from(this.#read(), ([values, value]) => `${this.name}${braced(written(this.#labels, values))} ${value}`);
  }
}
