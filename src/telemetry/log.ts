import type { Writable } from 'node:stream';
import { pino } from 'pino';
import { LIMITS } from '../config/limits.ts';
import type { LogLevel } from '../config/schema.ts';
import { FileOut, isFile } from './file_out.ts';
import { isoTime } from './iso_time.ts';
import { requestLine, type RequestLine } from './request_line.ts';
import { LogSink } from './sink.ts';

/** The fields that a line may have; any other is left out. Add one here only if it can hold no key, email or part of a body. */
const FIELDS = [
  'request_id', 'source', 'dataset', 'snapshot', 'segment', 'thread', 'code', 'reason', 'version', 'host', 'port', 'count', 'rows',
] as const;
type LogFields = { readonly [F in (typeof FIELDS)[number]]?: string | number | boolean | null } & { readonly error?: unknown };

type Write = (message: string, fields?: LogFields) => void;

export type Log = {
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  readonly fatal: Write;
  /** Written at every level, `silent` too: an answer's `X-Request-Id` must always be found. */
  request(line: RequestLine): void;
  /** Lines lost because nobody read stdout, or the file that it is was full. */
  dropped(): number;
  /** For a process about to die: what waits goes straight to stdout, as far as its reader takes it at once. */
  spill(): void;
  close(): Promise<void>;
};

export function openLog(level: LogLevel, stream: Writable = isFile(process.stdout.fd) ? new FileOut(process.stdout.fd) : process.stdout): Log {
  const sink = new LogSink(stream);
  const logger = pino({ level, base: null, timestamp: () => `,"time":"${isoTime(Date.now())}"` }, sink);
  const at = (name: Exclude<LogLevel, 'trace' | 'debug' | 'silent'>): Write => (message, fields) => {
    if (logger.isLevelEnabled(name)) logger[name](allowed(fields), scrubbed(message));
  };
  return {
    info: at('info'), warn: at('warn'), error: at('error'), fatal: at('fatal'),
    request: (line) => sink.write(requestLine(line)),
    dropped: () => sink.dropped,
    spill: () => sink.spill(process.stdout.fd),
    close: () => sink.close(),
  };
}

function allowed(fields: LogFields | undefined): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  if (fields === undefined) return out;
  for (const name of FIELDS) {
    const value = fields[name];
    if (value !== undefined) out[name] = typeof value === 'string' ? scrubbed(value) : value;
  }
  if (fields.error !== undefined) out['error'] = described(fields.error);
  return out;
}

/** Errors of libraries may quote what they were given, so their texts are scrubbed and their other members left out. */
function described(error: unknown, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const out: Record<string, unknown> = { type: error.name, message: scrubbed(error.message), stack: scrubbed(error.stack ?? '') };
  if ('code' in error && typeof error.code === 'string') out['code'] = error.code;
  if (error.cause !== undefined && depth < LIMITS.logCausesMax) out['cause'] = described(error.cause, depth + 1);
  return out;
}

const KEY = /\bld[xa]_[0-9A-Za-z]+/g;
const EMAIL = /[^\s@"'<>(),;:]{1,64}@[^\s@"'<>(),;:]{1,255}/gu;
const CREDENTIALS = /:\/\/[^\s/@]*@/g;

function scrubbed(text: string): string {
  return text.replace(KEY, '[key]').replace(CREDENTIALS, '://').replace(EMAIL, '[email]');
}
