import { LIMITS } from '../config/limits.ts';

type Node<T> = { readonly children: Map<Label, Node<T>>; leaf: T | null };

export type Label = string | number;

/** One value for each set of labels, found by walking one map a label. */
export class Series<T> {
  readonly #names: readonly string[];
  readonly #make: () => T;
  readonly #root: Node<T> = { children: new Map(), leaf: null };
  readonly #all = new Map<string, T>();

  constructor(names: readonly string[], make: () => T) {
    this.#names = names;
    this.#make = make;
    if (names.length === 0) this.at([]);
  }

  at(labels: readonly Label[]): T {
    let node = this.#root;
    for (const label of labels) {
      const next = node.children.get(label);
      if (next === undefined) return this.#grow(labels);
      node = next;
    }
    return node.leaf ?? this.#grow(labels);
  }

  all(): Iterable<readonly [labels: string, value: T]> {
    return this.#all;
  }

  /** Labels come from closed lists; should one not, its series are lumped together rather than kept without end. */
  #grow(labels: readonly Label[]): T {
    if (labels.length !== this.#names.length) throw new Error(`Expected ${this.#names.length} labels.`);
    const lumped = this.#all.size >= LIMITS.metricSeriesMax;
    const kept = lumped ? labels.map(() => 'other') : labels;
    let node = this.#root;
    for (const label of kept) {
      const next = node.children.get(label) ?? { children: new Map(), leaf: null };
      node.children.set(label, next);
      node = next;
    }
    const text = written(this.#names, kept);
    node.leaf ??= this.#all.get(text) ?? this.#make();
    this.#all.set(text, node.leaf);
    return node.leaf;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

export function written(names: readonly string[], values: readonly Label[]): string {
  return names.map((name, index) => `${name}="${String(values[index]).replace(/[\\"\n]/g, (letter) => ESCAPES[letter]!)}"`).join(',');
}

export function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}
