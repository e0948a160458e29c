import type { Dataset } from '../model/dataset.ts';

/** A count with the word for what is counted, which may take its verb along: `1 row stays`, `1,234 rows stay`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

const ONE_OF = { contacts: 'contact', companies: 'company' } as const satisfies Record<Dataset, string>;

export function countedRows(count: number, dataset: Dataset): string {
  return counted(count, ONE_OF[dataset], dataset);
}
