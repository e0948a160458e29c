import { LIMITS } from '../config/limits.ts';
import type { SchemaDocument } from '../find/schema.ts';
import type { Facets } from '../model/answer.ts';
import { DATASETS, type Dataset } from '../model/dataset.ts';
import { drawable, drawSearches } from './bench/draw.ts';
import { numberOf } from './bench/lane.ts';
import { load, type Heard, type LoadEnd, type LoadOrder } from './bench/load.ts';
import { readSearches, type SearchLine } from './bench/search_file.ts';
import { stopText, summaryOf, summaryText } from './bench/summary.ts';
import { Tally } from './bench/tally.ts';
import { EXIT, UsageError, type Command, type CommandInput } from './command.ts';
import { callGateway, gatewayOf, tellRefusal } from './gateway.ts';
import { terminalStage } from './progress.ts';
import { pairsOption, textOption, wholeOption } from './words.ts';

const HELP = `Usage:
  lds bench [contacts|companies] [OPTION ...]

Sends searches to a running gateway and reports requests and rows per second, latencies, and how many answers were partial,
refused or failed. The searches (of contacts by default) are drawn from the gateway's own data: countries, and values of up to
two more filters, each as often as rows have it. They are the same every time for the same data.

It costs units of the key as any search does: one per request, more over ${LIMITS.unitRows} rows. The caps of the key's plan hold, and what
they turn away is counted as refused. If the gateway runs on this machine, the sender takes processor time from it.

Options:
  --filter NAME=VALUE  a filter for every search, which is then not drawn; repeated with the same name: any of the values
  --searches FILE      send these bodies of /v1/find, one per line, in turn, instead of drawn ones
  --connections N      connections at once (default ${LIMITS.benchConnectionsDefault}, at most ${LIMITS.benchConnectionsMax.toLocaleString('en')})
  --seconds N          how long (default ${LIMITS.benchSecondsDefault}, at most ${LIMITS.benchSecondsMax.toLocaleString('en')})
  --rate N             requests per second, sent at fixed times whatever the gateway does, each timed from when it was due
                       (default: each connection as fast as its answers come)
  --limit N            rows per answer (default ${LIMITS.pageRowsDefault})
  --json               print one JSON object
  --url URL            the gateway (default: LDS_URL, else this machine at LDS_PORT or 8080)
  --key KEY            the key; LDS_KEY is better, since other users of this machine can see this option

Examples:
  lds bench
  lds bench contacts --filter country=US --connections 32 --seconds 30
  lds bench --searches searches.ndjson --rate 500 --json

It stops early if the key is refused, its units are spent, or nothing answers any more. Ctrl-C ends it and prints what was
measured so far.
Exits with 0 when every answer was complete, 1 when not, 2 for a mistake in the command.
`;

const options = {
  filter: { type: 'string', multiple: true },
  searches: { type: 'string' },
  connections: { type: 'string' },
  seconds: { type: 'string' },
  rate: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
  url: { type: 'string' },
  key: { type: 'string' },
} as const satisfies Command['options'];

export const benchCommand: Command = { help: HELP, options, run };

async function run(input: CommandInput): Promise<number> {
  const { values, terminal } = input;
  const gateway = gatewayOf(input);
  const told = {
    url: new URL(gateway.base).origin,
    connections: wholeOption(values, 'connections', 1, LIMITS.benchConnectionsMax) ?? LIMITS.benchConnectionsDefault,
    rate: wholeOption(values, 'rate', 1, LIMITS.benchRateMax) ?? null,
  };
  const seconds = wholeOption(values, 'seconds', 1, LIMITS.benchSecondsMax) ?? LIMITS.benchSecondsDefault;
  const file = textOption(values, 'searches');
  const type = typeOf(input, file);
  const wanted = { type, given: Object.fromEntries(pairsOption(values, 'filter')), limit: wholeOption(values, 'limit', 1, LIMITS.pageRowsMax) };
  const lines = file === undefined ? null : await readSearches(file);
  const tally = new Tally();
  const bodies = await searchesFor(input, wanted, lines, tally);
  if (typeof bodies === 'number') return bodies;
  const order = { gateway, bodies, connections: told.connections, rate: told.rate, seconds, signal: terminal.signal };
  const end = await underWay(input, order, tally, tellingRefusals(input, lines));
  const summary = summaryOf({ ...told, searches: bodies.length }, tally, end);
  if (end.stop !== null) terminal.note(`lds bench: ${stopText(end.stop)}`);
  await terminal.out(values['json'] === true ? `${JSON.stringify(summary)}\n` : summaryText(summary));
  const given = end.stop === null || end.stop.why === 'interrupted';
  return given && tally.whole > 0 && tally.whole === tally.requests ? EXIT.done : EXIT.failed;
}

function typeOf({ files, values }: CommandInput, searches: string | undefined): Dataset {
  const [word, ...more] = files;
  if (searches !== undefined && (word !== undefined || values['filter'] !== undefined || values['limit'] !== undefined)) {
    throw new UsageError('The searches of a file are asked as they stand: leave out contacts or companies, --filter and --limit.');
  }
  const type = DATASETS.find((dataset) => dataset === (word ?? 'contacts'));
  if (type === undefined || more.length > 0) throw new UsageError('Say contacts or companies.');
  return type;
}

type Wanted = { readonly type: Dataset; readonly given: Readonly<Record<string, readonly string[]>>; readonly limit: number | undefined };

/** The bodies to send, or the exit code where the gateway would not have them. It is asked before in any case: so a key that is not right is told at once. */
async function searchesFor(input: CommandInput, { type, given, limit }: Wanted, lines: readonly SearchLine[] | null, tally: Tally): Promise<readonly Buffer[] | number> {
  const schema = await ask<SchemaDocument>(input, '/v1/schema', null);
  if (typeof schema === 'number') return schema;
  if (!Array.isArray(schema.answer.types?.[type]?.filters)) throw new Error(NO_GATEWAY);
  if (lines !== null) return lines.map(({ body }) => body);
  const drawn = drawable(schema.answer, type, given);
  const counted = await ask<{ readonly facets: Facets | null; readonly total: number }>(input, '/v1/find', {
    type, filters: given, limit: 1, timeout_ms: LIMITS.pageTimeoutMsMax, ...(drawn.facets.length > 0 && { facets: drawn.facets }),
  });
  if (typeof counted === 'number') return counted;
  tally.units += counted.units;
  if (counted.answer.total === 0) input.terminal.note('lds bench: Nothing matches: every answer will be without rows.\n');
  const count = LIMITS.benchSearchesDrawn;
  return drawSearches({ type, given, limit, drawable: drawn, facets: counted.answer.facets ?? {}, count }).map((body) => Buffer.from(body));
}

const NO_GATEWAY = 'What answers there is no gateway: it gave neither schema nor facets.';

async function ask<Answer>(input: CommandInput, path: string, body: object | null): Promise<{ readonly answer: Answer; readonly units: number } | number> {
  const response = await callGateway(input, path, body, 'application/json');
  const answer = await response.json().catch(() => null) as Answer | null;
  if (!response.ok) return tellRefusal('bench', response, answer, input);
  if (answer === null) throw new Error(NO_GATEWAY);
  return { answer, units: numberOf(response.headers.get('x-units-charged')) ?? 0 };
}

async function underWay({ terminal }: CommandInput, order: LoadOrder, tally: Tally, heard: Heard): Promise<LoadEnd> {
  if (!terminal.interactive) return load(order, tally, heard);
  const beganMs = performance.now();
  const extent = { fraction: () => Math.min(1, (performance.now() - beganMs) / (order.seconds * 1_000)) };
  return terminalStage(terminal)('loading', extent, (advance) => load(order, tally, (outcome, body) => {
    heard(outcome, body);
    if (outcome.kind === 'whole' || outcome.kind === 'partial') advance(outcome.rows);
  }));
}

/** Which lines of a file of searches the gateway does not take, each told once and of many the first few. */
function tellingRefusals({ terminal }: CommandInput, lines: readonly SearchLine[] | null): Heard {
  const told = new Set<number>();
  return (outcome, body) => {
    if (lines === null || outcome.kind !== 'refused' || outcome.status !== 400 || told.size >= LIMITS.benchRefusalsTold || told.has(body)) return;
    told.add(body);
    terminal.note(`${terminal.interactive ? '\r\u001b[K' : ''}lds bench: line ${lines[body]!.line}: ${outcome.status} ${outcome.code}: ${outcome.detail}\n`);
  };
}
