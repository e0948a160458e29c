import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { LIMITS } from '../config/limits.ts';
import { EXIT, UsageError, type Command, type CommandInput } from './command.ts';
import { callGateway, tellRefusal } from './gateway.ts';
import { table } from './table.ts';
import { textOption, wholeOption } from './words.ts';

const HELP = `Usage:
  lds validate FILE [OPTION ...]

Validates the email addresses of FILE, one a line, through a running gateway. A CSV file is read by its column
email (or the one that --column names); - is standard input.

Options:
  --column NAME    the column of a CSV file
  --stages A,B     of syntax, domain, lists, dns, smtp; all that are on unless told
  --timeout-ms N   for each call of up to 1,000 addresses
  --ndjson         prints every result in full, one a line, in the order of the file
  --url URL        the gateway; else LDS_URL, else this machine's at LDS_PORT or 8080
  --key KEY        the key; better in LDS_KEY, where other users of this machine cannot see it

Examples:
  lds validate addresses.txt
  lds validate export.csv --column work_email --ndjson > results.ndjson

Exits with 0 when every address has its result, 1 when a call failed, 2 for a mistake in the command.
`;

const options = {
  column: { type: 'string' },
  stages: { type: 'string' },
  'timeout-ms': { type: 'string' },
  ndjson: { type: 'boolean' },
  url: { type: 'string' },
  key: { type: 'string' },
} as const satisfies Command['options'];

export const validateCommand: Command = { name: 'validate', summary: 'Validate the email addresses of a file', help: HELP, options, run };

type Result = Readonly<Record<string, unknown>> & { readonly status: string };

async function run(input: CommandInput): Promise<number> {
  const [file, ...more] = input.files;
  if (file === undefined || more.length > 0) throw new UsageError('Name one file of addresses, or - for standard input.');
  const totals = new Map<string, number>();
  for await (const emails of batches(addresses(file, textOption(input.values, 'column')))) {
    const results = await ask(input, emails);
    if (typeof results === 'number') return results;
    for (const { status } of results) totals.set(status, (totals.get(status) ?? 0) + 1);
    await input.terminal.out(input.values['ndjson'] === true ? results.map((result) => `${JSON.stringify(result)}\n`).join('') : page(results));
  }
  input.terminal.note(totals.size === 0 ? 'no address in the file\n' : `${[...totals].map(([status, count]) => `${count.toLocaleString('en')} ${status}`).join(', ')}\n`);
  return EXIT.done;
}

/** The results of one call in the order of `emails`, or the exit code of its failure. */
async function ask(input: CommandInput, emails: readonly string[]): Promise<readonly Result[] | number> {
  const stages = textOption(input.values, 'stages')?.split(',').map((stage) => stage.trim());
  const timeoutMs = wholeOption(input.values, 'timeout-ms', LIMITS.validateTimeoutMsMin, LIMITS.validateTimeoutMsMax);
  const response = await callGateway(input, '/v1/email/validate', { emails, stages, timeout_ms: timeoutMs }, 'application/json');
  const answer = await response.json().catch(() => ({})) as { data?: { results?: readonly Result[] } | null; error?: { code?: unknown; message?: unknown } };
  if (response.ok && answer.data?.results !== undefined) return answer.data.results;
  return tellRefusal('validate', response, [answer.error?.code, answer.error?.message], input);
}

function page(results: readonly Result[]): string {
  return table(['input', 'status', 'reason', 'score', 'suggestion'], results);
}

async function* batches(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length === LIMITS.validateEmailsMaxDefault) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

/** Lines without their ends; of a file whose first line names the column, that column's cells. */
async function* addresses(file: string, column: string | undefined): AsyncGenerator<string> {
  const lines = createInterface({ input: file === '-' ? process.stdin : createReadStream(file), crlfDelay: Infinity });
  let cell: number | null = null;
  let first = true;
  for await (const line of lines) {
    const text = first ? line.replace(/^\uFEFF/, '') : line;
    if (first) {
      first = false;
      const names = cells(text).map((name) => name.trim().toLowerCase());
      const at = names.indexOf((column ?? 'email').toLowerCase());
      if (at === -1 && column !== undefined) throw new UsageError(`The file has no column ${column}.`);
      if (at !== -1) {
        cell = at;
        continue;
      }
    }
    const address = cell === null ? text : cells(text)[cell] ?? '';
    if (address !== '') yield address;
  }
}

/** The cells of one line of CSV; quoted cells may hold commas and doubled quotes. */
function cells(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}
