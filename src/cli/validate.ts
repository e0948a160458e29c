import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import { openAddresses, type AddressRecord } from './address_file.ts';
import { EXIT, UsageError, type Command, type CommandInput } from './command.ts';
import { counted } from './counted.ts';
import { callGateway, GatewayLost, gatewayOf, tellRefusal } from './gateway.ts';
import { terminalStage } from './progress.ts';
import { csvForm, fileSink, NDJSON_FORM, tableForm, terminalSink, type Result, type ResultForm, type ResultSink } from './result_file.ts';
import { textOption, wholeOption } from './words.ts';

const HELP = `Usage:
  lds validate FILE [OPTION ...]

Validates the email addresses in FILE through a running gateway. FILE is UTF-8 text with one address per line, or CSV
(commas, semicolons or tabs) with a column email, or the column that --column names; - is standard input. If a cap is
reached or the gateway is away for a moment, the command waits and asks again.

Options:
  --out FILE       write results to FILE, with a progress bar: NDJSON if its name ends in .ndjson or .jsonl, else CSV
  --resume         go on where an earlier run with the same FILE and --out stopped
  --csv            print CSV: the rows as they were, with validation_status, _reason, _score, _suggestion, _checked_at
  --ndjson         print every result in full, one per line, in the order of the file
  --column NAME    the column of a CSV file
  --stages A,B     some of syntax, domain, lists, dns, smtp (default: all that are on)
  --timeout-ms N   for each call of up to ${LIMITS.validateEmailsMaxDefault.toLocaleString('en')} addresses, default ${LIMITS.commandTimeoutMsDefault}
  --url URL        the gateway (default: LDS_URL, else this machine at LDS_PORT or 8080)
  --key KEY        the key; LDS_KEY is better, since other users of this machine can see this option

Examples:
  lds validate addresses.txt
  lds validate export.csv --column work_email --out checked.csv

Exits with 0 when every address has its result, 1 when a call failed, 2 for a mistake in the command.
`;

const options = {
  out: { type: 'string' },
  resume: { type: 'boolean' },
  csv: { type: 'boolean' },
  ndjson: { type: 'boolean' },
  column: { type: 'string' },
  stages: { type: 'string' },
  'timeout-ms': { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
} as const satisfies Command['options'];

export const validateCommand: Command = { help: HELP, options, run };

async function run(input: CommandInput): Promise<number> {
  const { values, terminal } = input;
  const [file, ...more] = input.files;
  if (file === undefined || more.length > 0) throw new UsageError('Name one file of addresses, or - for standard input.');
  const out = textOption(values, 'out');
  if (values['resume'] === true && (out === undefined || file === '-')) throw new UsageError('--resume goes with a file and --out.');
  gatewayOf(input);
  timeoutMsOf(values);
  const addresses = await openAddresses(file, textOption(values, 'column'), terminal.signal);
  const form = formOf(values, out) ?? csvForm(addresses);
  const places = form.blanks ? addresses.records : notBlank(addresses.records);
  const separator = form.name === 'ndjson' ? '' : addresses.header?.separator ?? ',';
  const sink = out === undefined ? await terminalSink(terminal, form, places) : await fileSink(out, form, places, separator, values['resume'] === true);
  const totals = new Map<string, number>();
  let ends = 0;
  // Of what has its result: a small file is read long before.
  const extent = { fraction: () => (addresses.bytes === null ? null : ends / addresses.bytes) };
  const work = { form, sink, totals, reach: (last: AddressRecord) => { ends = last.ends; } };
  let code: number = EXIT.failed;
  try {
    code = out === undefined ? await validateAll(input, work, () => {}) : await terminalStage(terminal)('validating', extent, (advance) => validateAll(input, work, advance));
    return code;
  } finally {
    await sink.close();
    if (code === EXIT.done) terminal.note(`${summary(totals, sink.done)}\n`);
    else terminal.note(undone(totals, sink.done, out));
  }
}

type Work = { readonly form: ResultForm; readonly sink: ResultSink; readonly totals: Map<string, number>; readonly reach: (last: AddressRecord) => void };

async function validateAll(input: CommandInput, { form, sink, totals, reach }: Work, advance: (rows: number) => void): Promise<number> {
  let recordsMax: number = LIMITS.validateEmailsMaxDefault;
  for await (const batch of batches(sink.left)) {
    for (let at = 0; at < batch.length;) {
      const part = batch.slice(at, at + recordsMax);
      const emails = part.map(({ email }) => email).filter((email) => email !== '');
      const results = emails.length === 0 ? [] : await ask(input, emails, totals.size > 0);
      if (results === 'too many') {
        recordsMax = Math.ceil(part.length / 2);
        continue;
      }
      if (typeof results === 'number') return results;
      const found = results.values();
      await sink.write(form.textOf(part, part.map(({ email }) => (email === '' ? null : found.next().value ?? null))));
      for (const { status } of results) totals.set(status, (totals.get(status) ?? 0) + 1);
      reach(part.at(-1)!);
      advance(results.length);
      at += part.length;
    }
  }
  return EXIT.done;
}

function summary(totals: ReadonlyMap<string, number>, before: number): string {
  const now = [...totals].map(([status, count]) => `${count.toLocaleString('en')} ${status}`).join(', ');
  if (before === 0) return now === '' ? 'no address in the file' : now;
  return `${before.toLocaleString('en')} done before, ${now === '' ? 'nothing left to do' : now}`;
}

function undone(totals: ReadonlyMap<string, number>, before: number, out: string | undefined): string {
  const done = [...totals.values()].reduce((sum, count) => sum + count, before);
  if (out !== undefined) return `What is done stands in ${out}: go on with --resume.\n`;
  return done === 0 ? '' : `Only the first ${counted(done, 'address was', 'addresses were')} validated. What is written with --out FILE, a later run goes on with by --resume.\n`;
}

/** Null for CSV, which takes after the file that was read. */
function formOf(values: CommandInput['values'], out: string | undefined): ResultForm | null {
  if (values['csv'] === true && values['ndjson'] === true) throw new UsageError('--csv or --ndjson, not both.');
  if (values['ndjson'] === true || (values['csv'] !== true && out !== undefined && /\.(?:ndjson|jsonl)$/i.test(out))) return NDJSON_FORM;
  return values['csv'] === true || out !== undefined ? null : tableForm();
}

function timeoutMsOf(values: CommandInput['values']): number {
  return wholeOption(values, 'timeout-ms', LIMITS.validateTimeoutMsMin, LIMITS.validateTimeoutMsMax) ?? LIMITS.commandTimeoutMsDefault;
}

type Answer = { readonly data?: { readonly results?: readonly Result[] } | null; readonly error?: { readonly code?: unknown } };

/** The results of one call in the order of `emails`, or the exit code of its failure; `too many` where a call of fewer may be taken. */
async function ask(input: CommandInput, emails: readonly string[], isMet: boolean): Promise<readonly Result[] | number | 'too many'> {
  const stages = textOption(input.values, 'stages')?.split(',').map((stage) => stage.trim());
  const body = { emails, stages, timeout_ms: timeoutMsOf(input.values) };
  for (let tries = 1; ; tries++) {
    const isLast = tries === LIMITS.commandTriesMax;
    const { response, answer } = await answered(input, body).catch((error: unknown): Answered => {
      if (!isMet || isLast || !(error instanceof GatewayLost)) throw error;
      return { response: null, answer: {} };
    });
    if (response?.ok === true) return resultsOf(answer, emails.length);
    if (response !== null && emails.length > 1 && (response.status === 413 || answer.error?.code === 'TOO_MANY_EMAILS')) return 'too many';
    const waitS = waitOf(response, tries);
    if (response !== null && (isLast || !(waitS <= LIMITS.commandWaitSMax))) return tellRefusal('validate', response, answer, input);
    await sleep(waitS * 1_000, undefined, { signal: input.terminal.signal });
  }
}

/** Trouble that passes: of what the gateway asks, or of a proxy with the gateway. */
const PASSING: ReadonlySet<number> = new Set([502, 503, 504]);

/** Before the next try, in seconds: what the gateway says; where it is away or its trouble passes, longer each time: it says how soon that may be over, not how long it lasts. */
function waitOf(response: Response | null, tries: number): number {
  const saidS = secondsOf(response?.headers.get('retry-after') ?? '');
  if (response === null || PASSING.has(response.status)) return Math.max(saidS ?? 0, LIMITS.commandBackoffS * 2 ** (tries - 1));
  return saidS ?? Infinity;
}

/** Of what `Retry-After` says: proxies may name a moment. Null for neither. */
function secondsOf(said: string): number | null {
  if (/^\d+$/.test(said)) return Number(said);
  const ms = Date.parse(said) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms / 1_000);
}

/** No response: the gateway went away. */
type Answered = { readonly response: Response | null; readonly answer: Answer };

/** What is no JSON says nothing where the status says it all, as a proxy's page does. */
async function answered(input: CommandInput, body: object): Promise<Answered> {
  const response = await callGateway(input, '/v1/email/validate', body, 'application/json');
  try {
    return { response, answer: await response.json() as Answer | null ?? {} };
  } catch (error) {
    if (input.terminal.signal.aborted) throw error;
    if (!response.ok) return { response, answer: {} };
    throw error instanceof SyntaxError ? new Error('What answers there is no gateway: it gave no JSON.', { cause: error }) : new GatewayLost('The answer broke off.', { cause: error });
  }
}

function resultsOf({ data }: Answer, asked: number): readonly Result[] {
  if (data?.results?.length !== asked) throw new Error('What answers there is no gateway: it did not give a result for each address.');
  return data.results;
}

async function* notBlank(records: AsyncIterable<AddressRecord>): AsyncGenerator<AddressRecord> {
  for await (const record of records) if (record.email !== '') yield record;
}

async function* batches(records: AsyncIterable<AddressRecord>): AsyncGenerator<AddressRecord[]> {
  let batch: AddressRecord[] = [];
  for await (const record of records) {
    batch.push(record);
    if (batch.length === LIMITS.validateEmailsMaxDefault) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
