/** What was seen under a key of records, or among the items of a list: records of these keys, lists of these items, values of these types. */
export class Shape {
  readonly keys = new Map<string, Shape>();
  items: Shape | null = null;
  readonly #types = new Set<string>();

  /** `told`: what the engine tells of a value, its type, its items in brackets or its keys. A record without any is `JSON` to it, as are items of several kinds. */
  add(told: unknown): void {
    if (Array.isArray(told)) for (const item of told) (this.items ??= new Shape()).add(item);
    else if (typeof told === 'object' && told !== null) for (const [key, value] of Object.entries(told)) this.#below(key).add(value);
    else if (told !== 'NULL') this.#types.add(told as string);
  }

  #below(key: string): Shape {
    const known = this.keys.get(key) ?? new Shape();
    this.keys.set(key, known);
    return known;
  }

  get isRecord(): boolean { return this.keys.size > 0 && !this.#isElse; }

  /** Records, and what is none. */
  get isMixed(): boolean { return this.#types.has(VAGUE) || (this.keys.size > 0 && this.#isElse); }

  /** Numbers alone, not all of them whole. */
  get isFraction(): boolean {
    return this.keys.size === 0 && this.items === null && this.#types.has('DOUBLE') && [...this.#types].every((type) => NUMBERS.has(type));
  }

  /** Lists alone, of records alone. */
  get isOfRecords(): boolean { return this.items !== null && this.items.isRecord && !this.items.#types.has(VAGUE) && this.keys.size === 0 && this.#types.size === 0; }

  get #isElse(): boolean { return this.items !== null || [...this.#types].some((type) => type !== VAGUE); }
}

const VAGUE = 'JSON';
const NUMBERS: ReadonlySet<string> = new Set(['BIGINT', 'UBIGINT', 'DOUBLE', 'HUGEINT', 'UHUGEINT']);

/** `taken`: an earlier key on the way differs in case alone, which the engine holds for the same. */
export type Leaf = { readonly path: readonly string[]; readonly shape: Shape; readonly taken: boolean };

/** The paths to all values that are not always records, in the order in which they were seen. What is within a record that is none elsewhere stands behind it. */
export function leaves({ keys }: Shape, above: readonly string[] = [], isTaken = false): Leaf[] {
  return entries(keys).flatMap(({ key, shape, taken }) => {
    const leaf = { path: [...above, key], shape, taken: isTaken || taken };
    return shape.isRecord ? leaves(shape, leaf.path, leaf.taken) : [leaf, ...leaves(shape, leaf.path, true)];
  });
}

/** The same shape as the engine takes it, every value as text, but for keys that are taken. */
export function texts({ keys }: Shape): Record<string, unknown> {
  return Object.fromEntries(entries(keys).filter(({ taken }) => !taken).map(({ key, shape }) => [key, shape.isRecord ? texts(shape) : 'VARCHAR']));
}

function entries(keys: ReadonlyMap<string, Shape>): { readonly key: string; readonly shape: Shape; readonly taken: boolean }[] {
  const seen = new Set<string>();
  return [...keys].filter(([key]) => key !== '').map(([key, shape]) => {
    const taken = seen.has(key.toLowerCase());
    seen.add(key.toLowerCase());
    return { key, shape, taken };
  });
}
