import { planColumns } from '../../src/segment/column_plan.ts';
import { PLAIN, ScannedRow } from '../../src/segment/scanned_row.ts';
import { TextsDraft } from '../../src/segment/texts_draft.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';

const PEOPLE_PER_DOMAIN = 25;

/** What gathering the texts of one filter costs an ingest, in time a row, where nearly every row has a text of its own. */
export function textsDrafts(smoke: boolean): void {
  const rows = smoke ? 5_000 : 1_000_000;
  const words = vocabulary('contacts');
  const column = planColumns(words).columns.find(({ spec }) => spec.name === 'email_domain')!;
  const emails = Array.from({ length: rows }, (_, at) => `person.number${at}@company-${Math.floor(at / PEOPLE_PER_DOMAIN)}.com`);
  const row = new ScannedRow(words);
  row.bytes = Buffer.from(emails.join(''));
  const place = row.place('email');
  const draft = new TextsDraft(column, row);
  const begun = process.cpuUsage();
  let from = 0;
  for (const { length } of emails) {
    row.note(place, PLAIN, from, from + length, 0);
    draft.add(row);
    from += length;
  }
  const { user, system } = process.cpuUsage(begun);
  console.log(`  email_domain   ${((user + system) / rows).toFixed(2)} us; ${draft.keys.length} different ones of ${rows} rows`);
}
