import { planColumns } from '../../src/segment/column_plan.ts';
import { TextsDraft } from '../../src/segment/texts_draft.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';

const PEOPLE_PER_DOMAIN = 25;

/** What gathering the texts of one filter costs an ingest, in time a row, where nearly every row has a text of its own. */
export function textsDrafts(smoke: boolean): void {
  const rows = smoke ? 5_000 : 1_000_000;
  const column = planColumns(vocabulary('contacts')).columns.find(({ spec }) => spec.name === 'email_domain')!;
  const emails = Array.from({ length: rows }, (_, at) => `person.number${at}@company-${Math.floor(at / PEOPLE_PER_DOMAIN)}.com`);
  const draft = new TextsDraft(column);
  const begun = process.cpuUsage();
  for (const email of emails) draft.add({ email });
  const { user, system } = process.cpuUsage(begun);
  console.log(`  a text of email_domain    ${((user + system) / rows).toFixed(2)} us; ${draft.keys.length} different ones of ${emails.length} rows`);
}
