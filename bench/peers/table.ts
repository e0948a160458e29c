import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fold, words } from '../../src/lib/fold.ts';
import { FIELDS, SEARCHABLE } from '../../src/model/field.ts';
import { load, withDuck } from '../data/contacts.ts';
import { SOURCE } from '../support/lake.ts';

/** Stands between two texts of a row: a word that no search asks for, so that no phrase reaches over it. */
const BREAK = 'ƕ';

/** The filtered columns beside the row as JSON and its folded words: what each peer loads, in the order of the lake. All work that can be done before a search is done here, in the peers' favour. */
export async function peerTable(truth: string, folder: string): Promise<string> {
  const path = join(folder, 'peers.parquet');
  if (existsSync(path)) return path;
  await withDuck(folder, async (connection) => {
    await connection.run(`CREATE VIEW truth AS SELECT row_number() OVER () - 1 AS n, * FROM read_parquet('${truth}')`);
    const texts = SEARCHABLE.contacts.map((field) => (field === 'skills' ? 'SELECT unnest(skills) AS text FROM truth' : `SELECT ${field} AS text FROM truth`)).join(' UNION ALL ');
    const distinct = await connection.runAndReadAll(`SELECT DISTINCT text FROM (${texts}) WHERE text IS NOT NULL`);
    const folded = distinct.getColumns()[0]!.map((text): [string, string] => [text as string, ` ${words(fold(text as string)).join(' ')} ${BREAK}`]);
    await load(connection, { name: 'folded', columns: { text: 'VARCHAR', words: 'VARCHAR' }, rows: folded });
    await connection.run('CREATE TABLE map AS SELECT map(list(text), list(words)) AS of FROM folded');
    await connection.run(`COPY (${tableSql()}) TO '${path}.part' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`);
  });
  renameSync(`${path}.part`, path);
  return path;
}

function tableSql(): string {
  const fields = FIELDS.contacts.map(({ name }) => `${name} := ${name === 'source' ? `'${SOURCE}'` : name === 'sources' ? `['${SOURCE}']` : name}`);
  const single = SEARCHABLE.contacts.filter((field) => field !== 'skills');
  return `SELECT t.n, t.country, t.industry, t.seniority, t.company_size, t.email IS NOT NULL AS has_email, to_json(struct_pack(${fields.join(', ')}))::VARCHAR AS row,
      concat(${single.map((field) => `${field}_folded.words`).join(', ')}, skill_words.words, ' ') AS words
    FROM truth t ${single.map((field) => `LEFT JOIN folded ${field}_folded ON ${field}_folded.text = t.${field}`).join(' ')}
      LEFT JOIN (
        SELECT n, string_agg(folded.words, '') AS words
        FROM (SELECT n, unnest(skills) AS skill FROM truth) s JOIN folded ON folded.text = s.skill
        GROUP BY n
      ) skill_words ON skill_words.n = t.n
    ORDER BY t.n`;
}
