import { createReadStream } from 'node:fs';
import { open, stat, truncate, type FileHandle } from 'node:fs/promises';
import { cellOf } from '../encode/csv.ts';
import { isOfDisk, writeFault } from '../lib/file_fault.ts';
import { RecordSplitter, type AddressFile, type AddressRecord } from './address_file.ts';
import { UsageError, type Terminal } from './command.ts';
import { tableInPieces } from './table.ts';

export type Result = Readonly<Record<string, unknown>> & { readonly status: string };

/** How results are written: `header` before the first, then a text for each batch, one record an address. */
export type ResultForm = {
  readonly name: 'csv' | 'ndjson' | 'table';
  readonly header: string;
  /** What a file of such results begins with, and what the result of an address does. */
  readonly lead: string;
  leadOf(record: AddressRecord): string;
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
  const leadOf = ({ email, raw }: AddressRecord): string => `${header === null ? cell(email) : raw}${separator}`;
  return {
    name: 'csv',
    blanks: true,
    header: first,
    lead: first,
    leadOf,
    textOf: (records, results) => results.map((result, index) => `${leadOf(records[index]!)}${ADDED.map((name) => cell(result?.[name])).join(separator)}\r\n`).join(''),
  };
}

const INPUT = '{"input":';
export const NDJSON_FORM: ResultForm = {
  name: 'ndjson', header: '', lead: INPUT, leadOf: ({ email }) => `${INPUT}${JSON.stringify(email)},`, blanks: false,
  textOf: (_, results) => results.map((result) => `${JSON.stringify(result)}\n`).join(''),
};
/** One for each run: its head is written once. */
export function tableForm(): ResultForm {
  const piece = tableInPieces(['input', 'status', 'reason', 'score', 'suggestion']);
  return { name: 'table', header: '', lead: '', leadOf: () => '', blanks: false, textOf: (_, results) => piece(results.filter((result) => result !== null)) };
}

export type ResultSink = {
  /** Records that an earlier run has left there, and the places of those that are still to come. */
  readonly done: number;
  readonly left: AsyncIterable<AddressRecord>;
  write(text: string): Promise<void>;
  close(): Promise<void>;
};

export async function terminalSink(terminal: Terminal, form: ResultForm, places: AsyncGenerator<AddressRecord>): Promise<ResultSink> {
  if (form.header !== '') await terminal.out(form.header);
  return { done: 0, left: places, write: async (text) => { await terminal.out(text); }, close: async () => {} };
}

type Before = { readonly results: number; readonly bytes: number; readonly left: AsyncIterable<AddressRecord> };

/**
 * Writes to a file that is not there yet, or goes on where an earlier run with the same `places` was cut off: a torn last record is dropped.
 * What is no such run's is left alone.
 */
export async function fileSink(path: string, form: ResultForm, places: AsyncGenerator<AddressRecord>, separator: string, resume: boolean): Promise<ResultSink> {
  const before = resume ? await resultsIn(path, form, places, separator) : null;
  if (before !== null) await truncate(path, before.bytes);
  const file = await opened(path, before === null ? 'wx' : 'a');
  const write = (text: string): Promise<void> => file.appendFile(text).catch((cause: unknown) => { throw unwritten(path, cause); });
  if (before === null || before.bytes === 0) await write(form.header);
  return { done: before?.results ?? 0, left: before?.left ?? places, write, close: () => file.close() };
}

async function opened(path: string, flags: 'wx' | 'a'): Promise<FileHandle> {
  try {
    return await open(path, flags);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw new UsageError(`${path} is there already. Take another name, or go on with --resume.`, { cause: error });
    throw unwritten(path, error);
  }
}

/** A disk that is full or fails is no mistake of whoever named the file. */
function unwritten(path: string, cause: unknown): Error {
  const told = `${writeFault(path, cause)}.`;
  return isOfDisk(cause) ? new Error(told, { cause }) : new UsageError(told, { cause });
}

/** How many whole results a file holds, how many bytes they take with what stands above them, and who comes after them; null where there is no file. */
async function resultsIn(path: string, form: ResultForm, places: AsyncGenerator<AddressRecord>, separator: string): Promise<Before | null> {
  const found = await stat(path).catch((error: unknown) => { if (!isMissing(error)) throw error; });
  if (found === undefined) return null;
  const expect = (fits: boolean): void => { if (!fits) throw new UsageError(`${path} was not begun by this call: it holds something else. Take another name.`); };
  expect(found.isFile());
  const splitter = new RecordSplitter(separator);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let records = 0;
  let bytes = 0;
  let next = await places.next();
  for await (const chunk of createReadStream(path)) {
    const text = decoder.decode(chunk as Uint8Array, { stream: true });
    expect(bytes > 0 || begins(text, form.lead));
    bytes += Buffer.byteLength(text);
    for (const record of splitter.push(text)) {
      records += 1;
      if (records === 1 && form.header !== '') continue;
      expect(next.done !== true && record.startsWith(form.leadOf(next.value)));
      next = await places.next();
    }
  }
  const heading = records === 0 && form.header !== '';
  expect(heading || splitter.rest === '' || (next.done !== true && begins(splitter.rest, form.leadOf(next.value))));
  const left = next.done === true ? places : startingWith(next.value, places);
  return { results: form.header === '' ? records : Math.max(0, records - 1), bytes: bytes - Buffer.byteLength(splitter.rest), left };
}

/** Whether `text` begins as `lead` does, however early it was cut off. */
function begins(text: string, lead: string): boolean {
  return text.slice(0, lead.length) === lead.slice(0, text.length);
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
