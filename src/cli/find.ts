import { isObject } from '../model/json.ts';
import { EXIT, UsageError, type Command, type CommandInput } from './command.ts';
import { callGateway, tellRefusal } from './gateway.ts';
import { table } from './table.ts';
import { pairsOption, textOption } from './words.ts';

const HELP = `Usage:
  lds find contacts|companies [--filter NAME=VALUE ...] [--query TEXT] [OPTION ...]

Searches a running gateway and prints the rows as a table.

Options:
  --filter NAME=VALUE   a value that a filter must have; repeated with the same name: any of the values
  --exclude NAME=VALUE  a value that it must not have; may be repeated; rows without a value stay
  --min NAME=VALUE      at least this number or time
  --max NAME=VALUE      at most this number or time
  --query TEXT          words that must occur; needs a narrowing filter, such as country
  --limit N             rows to return (default 25; with --ndjson all)
  --cursor TEXT         go on where an earlier page ended
  --fields A,B          the fields to return
  --source NAME         search this source alone; repeated: these alone
  --timeout-ms N        answer after this time with what there is by then
  --json                print the answer as it came
  --ndjson              stream the rows, one per line, with the control lines
  --url URL             the gateway (default: LDS_URL, else this machine at LDS_PORT or 8080)
  --key KEY             the key; LDS_KEY is better, since other users of this machine can see this option

Examples:
  lds find contacts --filter country=US --filter has_email=true --query "vp engineering" --limit 5
  lds find companies --filter country=DE --exclude industry=Banking --min founded_year=1990 --max founded_year=2010
  lds find companies --filter country=DE --filter country=AT --ndjson > companies.ndjson

Exits with 0 when the answer is complete, 1 when the call failed or rows may be missing, 2 for a mistake in the command.
`;

const options = {
  filter: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  min: { type: 'string', multiple: true },
  max: { type: 'string', multiple: true },
  query: { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  fields: { type: 'string' },
  source: { type: 'string', multiple: true },
  'timeout-ms': { type: 'string' },
  json: { type: 'boolean' },
  ndjson: { type: 'boolean' },
  url: { type: 'string' },
  key: { type: 'string' },
} as const satisfies Command['options'];

export const findCommand: Command = { help: HELP, options, run };

async function run(input: CommandInput): Promise<number> {
  const { terminal } = input;
  const ndjson = input.values['ndjson'] === true;
  if (ndjson && input.values['json'] === true) throw new UsageError('--json or --ndjson, not both.');
  const response = await callGateway(input, '/v1/find', findBody(input.values, input.files), ndjson ? 'application/x-ndjson' : 'application/json');
  if (!response.ok) return tellRefusal('find', response, await response.json().catch(() => null), input);
  if (ndjson) return stream(response, input);
  const text = await response.text().catch((error: unknown) => { throw terminal.signal.aborted ? error : new Error('The answer broke off.', { cause: error }); });
  const answer = answerOf(text);
  await terminal.out(input.values['json'] === true ? `${text.trimEnd()}\n` : page(answer, fieldsOption(input.values)));
  for (const warning of answer.warnings) terminal.note(`${warning}\n`);
  return answer.partial ? EXIT.failed : EXIT.done;
}

type Answer = {
  readonly type: 'contacts' | 'companies';
  readonly results: readonly Record<string, unknown>[];
  readonly total: number;
  readonly total_relation: string;
  readonly warnings: readonly string[];
  readonly partial: boolean;
  readonly next_cursor: string | null;
  readonly took_ms: number;
};

function answerOf(text: string): Answer {
  const answer = parsed(text);
  const { type, results, warnings } = isObject(answer) ? answer : {};
  if ((type === 'contacts' || type === 'companies') && Array.isArray(results) && Array.isArray(warnings)) return answer as Answer;
  throw new Error('What answers there is no gateway: it gave no page of rows.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Values = CommandInput['values'];

/** The body of the call; the gateway checks it, so that its message is the only one to learn. */
function findBody(values: Values, files: readonly string[]): Record<string, unknown> {
  const [type, ...more] = files;
  if (type === undefined || more.length > 0) throw new UsageError('Say contacts or companies.');
  return {
    type,
    filters: filters(values),
    query: textOption(values, 'query'),
    limit: whole(values, 'limit'),
    cursor: textOption(values, 'cursor'),
    timeout_ms: whole(values, 'timeout-ms'),
    fields: fieldsOption(values),
    sources: values['source'] === undefined ? undefined : { only: values['source'] },
  };
}

function fieldsOption(values: Values): string[] | undefined {
  return textOption(values, 'fields')?.split(',').map((field) => field.trim());
}

type Filter = readonly string[] | { readonly include?: readonly string[]; readonly exclude?: readonly string[]; readonly min?: string; readonly max?: string };

/** Values alone stay a plain list. */
function filters(values: Values): Record<string, Filter> {
  const include = pairsOption(values, 'filter');
  const exclude = pairsOption(values, 'exclude');
  const min = boundOption(values, 'min');
  const max = boundOption(values, 'max');
  const narrowed = new Set([...exclude.keys(), ...min.keys(), ...max.keys()]);
  return Object.fromEntries([...new Set([...include.keys(), ...narrowed])].map((name): [string, Filter] => {
    const parts = { include: include.get(name), exclude: exclude.get(name), min: min.get(name), max: max.get(name) };
    return [name, narrowed.has(name) ? parts : parts.include!];
  }));
}

function boundOption(values: Values, option: string): Map<string, string> {
  return new Map([...pairsOption(values, option)].map(([name, [bound, ...more]]) => {
    if (more.length > 0) throw new UsageError(`--${option} takes one value of ${name.slice(0, 64)}.`);
    return [name, bound!];
  }));
}

function whole(values: Values, name: string): number | undefined {
  const given = textOption(values, name);
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(given)) throw new UsageError(`--${name} takes a whole number.`);
  return Number(given);
}

const SHOWN = {
  contacts: ['id', 'full_name', 'job_title', 'email', 'phone', 'company_name', 'city', 'country'],
  companies: ['id', 'name', 'domain', 'industry', 'size', 'city', 'country'],
} as const;

function page(answer: Answer, fields: readonly string[] | undefined): string {
  const rows = answer.results;
  const wanted = fields === undefined ? SHOWN[answer.type] : [...new Set(['id', ...fields])];
  const columns = wanted.filter((column) => rows.some((row) => row[column] !== undefined));
  const relation = { eq: '', gte: 'at least ', lte: 'at most ', approx: 'about ' }[answer.total_relation] ?? '';
  const summary = `${rows.length} of ${relation}${answer.total} in ${answer.took_ms} ms${answer.partial ? '; rows may be missing' : ''}\n`;
  const next = answer.next_cursor === null ? '' : `next: --cursor=${answer.next_cursor}\n`;
  return `${table(columns, rows)}${summary}${next}`;
}

/** Whole only if the last line says so: a stream without `@end` was cut. */
async function stream(response: Response, { terminal }: CommandInput): Promise<number> {
  const decoder = new TextDecoder();
  let last = '';
  try {
    for await (const chunk of response.body ?? []) {
      const text = decoder.decode(chunk as Uint8Array, { stream: true });
      await terminal.out(text);
      last = lastLine(last + text);
    }
  } catch (error) {
    if (terminal.signal.aborted) throw error;
    // A connection that breaks off is no other than one that ends early.
  }
  const end = ended(last);
  if (end === null) terminal.note('lds find: The stream was cut or failed; rows are missing.\n');
  else for (const warning of end.warnings ?? []) terminal.note(`${warning}\n`);
  return end === null || end.partial ? EXIT.failed : EXIT.done;
}

/** The last line of a text that may end in a newline or in the midst of a line. */
function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
}

function ended(line: string): { readonly partial: boolean; readonly warnings?: readonly string[] } | null {
  if (!line.startsWith('{"@end":') || !line.endsWith('\n')) return null;
  return (JSON.parse(line) as { '@end': { partial: boolean; warnings?: string[] } })['@end'];
}
