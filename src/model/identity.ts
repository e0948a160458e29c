import { OWN_IDENTITY } from './chunk.ts';
import type { Dataset } from './dataset.ts';
import type { Row } from './field.ts';

/** What makes two rows of different sources the same person or company. Order: class, then the UTF-8 bytes of the key. */
type Identity = { readonly class: number; readonly key: string };

/** The fields that lend the key, best first: the place in the list is the class. */
export const IDENTITY_FIELDS: Readonly<Record<Dataset, readonly string[]>> = { contacts: ['email', 'linkedin_url'], companies: ['domain'] };

/** The trimmed, lower-case text of the first identity field that is not blank; else the row's own id, as it stands. */
export function identityOf(dataset: Dataset, row: Row): Identity {
  const fields = IDENTITY_FIELDS[dataset];
  for (let at = 0; at < fields.length; at++) {
    const value = row[fields[at]!];
    const key = typeof value === 'string' ? value.trim().toLowerCase() : '';
    if (key !== '') return { class: at, key };
  }
  return { class: OWN_IDENTITY, key: String(row.id) };
}
