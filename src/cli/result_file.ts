import { createReadStream } from 'node:fs';
import { open, truncate, type FileHandle } from 'node:fs/promises';
import { cellOf } from '../encode/csv.ts';
import { RecordSplitter, type AddressFile, type AddressRecord } from './address_file.ts';
import { UsageError, type Terminal } from './command.ts';
import { table } from './table.ts';

export type Result = Readonly<Record<string, unknown>> & { readonly status: string };

/** How results are written: `header` before the first, then a text for each batch, one record an address. */
export type ResultForm = {
  readonly name: 'csv' | 'ndjson' | 'table';
  readonly header: string;
  /** What a file of such results begins with. */
  readonly lead: string;
  /** Whether rows without an address have their place; they are asked of nobody, and their result is null. */
  readonly blanks: boolean;
  textOf(records: readonly AddressRecord[], results: readonly (Result | null)[]): string;
};

const ADDED = ['status', 'reason', 'score', 'suggestion', 'checked_at'] as const;

/** The rows of the file as they stood, with what was found as cells of their own at the end. */
export function csvForm({ header }: AddressFile): ResultForm {
  const separator = header === null ? ',' : header.separator;
  const added = ADDED.map((name) => `validation_${name}`).join(separator);
  const cell = (value: unknown): string => {
    const text = cellOf(value === null || value === undefined ? '' : String(value));
    return separator !== ',' && !text.startsWith('"') && text.includes(separator) ? `"${text}"` : text;
  };
  const first = `${header === null ? 'email' : header.raw.replace(/^\uFEFF/, '')}${separator}${added}\r\n`;
  return {
    name: 'csv',
    blanks: true,
    header: first,
    lead: first,
    textOf: (records, results) => results.map((result, index) => {
      const { email, raw } = records[index]!;
      return `${header === null ? cell(email) : raw}${separator}${ADDED.map((name) => cell(result?.[name])).join(separator)}\r\n`;
    }).join(''),
  };
}

export const NDJSON_FORM: ResultForm = { name: 'ndjson', header: '', lead: '{"input":', blanks: false, textOf: (_, results) => results.map((result) => `${JSON.stringify(result)}\n`).join('') };
export const TABLE_FORM: ResultForm = {
  name: 'table', header: '', lead: '', blanks: false,
  textOf: (_, results) => table(['input', 'status', 'reason', 'score', 'suggestion'], results.filter((result) => result !== null)),
};

export type ResultSink = {
  /** Records that an earlier run has left there. */
  readonly done: number;
  write(text: string): Promise<void>;
  close(): Promise<void>;
};

export async function terminalSink(terminal: Terminal, form: ResultForm): Promise<ResultSink> {
  if (form.header !== '') await terminal.out(form.header);
  return { done: 0, write: async (text) => { await terminal.out(text); }, close: async () => {} };
}

/** Writes to a file that is not there yet, or goes on where an earlier run was cut off: a torn last record is dropped. What is no such run's is left alone. */
export async function fileSink(path: string, form: ResultForm, separator: string, resume: boolean): Promise<ResultSink> {
  const before = resume ? await recordsOf(path, form.lead, separator) : null;
  const fresh = before === null || before.records === 0;
  if (before !== null) await truncate(path, fresh ? 0 : before.bytes);
  const file = await opened(path, before === null ? 'wx' : 'a');
  if (fresh) await file.appendFile(form.header);
  return { done: fresh ? 0 : before.records - (form.header === '' ? 0 : 1), write: (text) => file.appendFile(text), close: () => file.close() };
}

async function opened(path: string, flags: 'wx' | 'a'): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw new UsageError(`${path} is there already. Take another name, or go on with --resume.`, { cause: error });
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw new UsageError(`${path} cannot be written: there is no such folder.`, { cause: error });
    throw error;
  }
}

/** How many whole records a file of results holds, and how many bytes they take; null where there is no file. */
async function recordsOf(path: string, lead: string, separator: string): Promise<{ readonly records: number; readonly bytes: number } | null> {
  const splitter = new RecordSplitter(separator);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let records = 0;
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      const text = decoder.decode(chunk as Uint8Array, { stream: true });
      if (bytes === 0 && text.slice(0, lead.length) !== lead.slice(0, text.length)) throw new UsageError(`${path} was not begun by this call: it holds something else. Take another name.`);
      records += splitter.push(text).length;
      bytes += Buffer.byteLength(text);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return { records, bytes: bytes - Buffer.byteLength(splitter.rest) };
}
