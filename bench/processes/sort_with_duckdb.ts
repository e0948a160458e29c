import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { withDuck } from '../data/contacts.ts';

/** Reads a file, sorts its rows as a lake's are sorted, and writes them as Parquet. Arguments: file, target, columns. */
const [file, target, columns] = process.argv.slice(2);
const read = file!.endsWith('.csv') ? 'read_csv' : 'read_parquet';
await withDuck(dirname(target!), async (connection) => {
  await connection.run(`COPY (SELECT ${columns!} FROM ${read}('${file!}') ORDER BY country, email, linkedin_url, id) TO '${target!}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`);
});
rmSync(target!);
