import { open, stat } from 'node:fs/promises';
import { LIMITS } from '../config/limits.ts';
import type { Input } from './input.ts';

const BEGIN = '^\\{"@(?:(?:source|heartbeat|end|error)":\\{|cursor":")';

/**
 * Whether a line, as the engine has it, is none of the rows of a stream of this service but what stands among them: the one member of an object. Others
 * write records that begin with `@type`, or with a `@source` of their own.
 */
export const IS_CONTROL = `CASE WHEN starts_with(line, '{"@') AND regexp_matches(line, '${BEGIN}') THEN CASE WHEN json_valid(line) THEN len(json_keys(line)) = 1 ELSE FALSE END ELSE FALSE END`;

/** A stream that did not come to its end, as far as its last lines tell. */
export async function streamNotes({ path, label, compression }: Input): Promise<readonly string[]> {
  if (compression !== 'none') return [];
  const lines = (await lastBytes(path)).split('\n').filter((line) => line.trim() !== '');
  if (!lines.some((line) => controlIn(line) !== null)) return [];
  const end = controlIn(lines.at(-1)!)?.['@end'];
  if (end === undefined) return [`${label} is a stream that was cut before its end: send the same search with its last @cursor as cursor, and ingest what comes too`];
  if (typeof end.next_cursor !== 'string') return [];
  return [`${label} is a part of what its search found: send the same search with the next_cursor of its last line as cursor, and ingest what comes too`];
}

type Control = { readonly '@end'?: { readonly next_cursor?: string | null } };

const BEGINS = new RegExp(BEGIN);

function controlIn(line: string): Control | null {
  if (!BEGINS.test(line)) return null;
  try {
    const object = JSON.parse(line) as Control;
    return Object.keys(object).length === 1 ? object : null;
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
