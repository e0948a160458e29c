import { open, stat } from 'node:fs/promises';
import { LIMITS } from '../config/limits.ts';
import type { ControlLine } from '../encode/ndjson.ts';
import type { Input } from './input.ts';

type Members<T> = T extends unknown ? keyof T : never;

const CONTROLS: Readonly<Record<Members<ControlLine>, true>> = { '@source': true, '@heartbeat': true, '@cursor': true, '@end': true, '@error': true };
const BEGIN = `^\\{"(?:${Object.keys(CONTROLS).join('|')})":`;

/** Whether a line, as the engine has it, is none of the rows of a stream of this service but what stands among them. Others write records that begin with `@type`. */
export const IS_CONTROL = `starts_with(line, '{"@') AND regexp_matches(line, '${BEGIN}')`;

/** A stream that did not come to its end, as far as its last lines tell. */
export async function streamNotes({ path, label, compression }: Input): Promise<readonly string[]> {
  if (compression !== 'none') return [];
  const lines = (await lastBytes(path)).split('\n').filter((line) => line.trim() !== '');
  const controls = lines.filter((line) => new RegExp(BEGIN).test(line));
  if (controls.length === 0) return [];
  const end = endIn(lines.at(-1)!);
  if (end === null) return [`${label} is a stream that was cut before its end: send the same search with its last @cursor as cursor, and ingest what comes too`];
  if (end.next_cursor === null) return [];
  return [`${label} is a part of what its search found: send the same search with the next_cursor of its last line as cursor, and ingest what comes too`];
}

function endIn(line: string): { readonly next_cursor: string | null } | null {
  try {
    return (JSON.parse(line) as { readonly '@end'?: { readonly next_cursor: string | null } })['@end'] ?? null;
  } catch {
    return null;
  }
}

async function lastBytes(path: string): Promise<string> {
  const { size } = await stat(path);
  const bytes = Buffer.alloc(Math.min(size, LIMITS.ingestStreamTailBytes));
  const file = await open(path);
  try {
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
