import { planColumns } from '../../src/segment/column_plan.ts';
import { TextsDraft } from '../../src/segment/texts_draft.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { ScannedRow } from '../../src/segment/scanned_row.ts';
import { storedText } from '../../src/segment/stored_row.ts';

const PEOPLE_PER_DOMAIN = 25;

/** What gathering the texts of one filter costs an ingest, in time a row, where nearly every row has a text of its own. */
export function textsDrafts(smoke: boolean): void {
  const rows = smoke ? 5_000 : 1_000_000;
  const words = vocabulary('contacts');
  const column = planColumns(words).columns.find(({ spec }) => spec.name === 'email_domain')!;
  const block = Buffer.from(Array.from({ length: rows }, (_, at) => `${storedText(words, 'main', { id: `main:${at}`, email: `person.number${at}@company-${Math.floor(at / PEOPLE_PER_DOMAIN)}.com` })}\n`).join(''));
  const row = new ScannedRow(words);
  const draft = new TextsDraft(column, row);
  const begun = process.cpuUsage();
  for (let at = 0; at < block.length;) {
    at = row.scan(block, at);
    draft.add(row);
  }
  const { user, system } = process.cpuUsage(begun);
  console.log(`  a scan and email_domain   ${((user + system) / rows).toFixed(2)} us; ${draft.keys.length} different ones of ${rows} rows`);
}
