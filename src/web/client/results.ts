import { isJson, make, shown, type Child, type Json, type Reply } from './dom.ts';

/** Columns of the table, each with the fields that share its cells: the first leads. */
const COLUMNS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  contacts: [['full_name', 'job_title'], ['company_name', 'city', 'country'], ['email', 'phone']],
  companies: [['name', 'domain'], ['industry', 'size'], ['city', 'country']],
};

const NONE = 'No row matches. Widen a filter, or leave a word out.';
/** A filter is not to blame for what did not come. */
const NONE_OF_THOSE_THAT_ANSWERED = 'No row has come. Some are missing: the lines above say whose.';

/** An answer as the page shows it: the line that is read out when it comes, and what stands below. */
export type Drawn = { readonly told: readonly Child[]; readonly below: readonly Child[] };

/** What a search brought, or why it did not. */
export function findReply(reply: Reply, type: string): Drawn {
  // What stands between may answer in the gateway's place.
  if (reply.status !== 200 || !Array.isArray(reply.body['results'])) return refused(reply);
  const rows = listOf(reply.body['results']);
  const told = [make('strong', {}, `${rows.length}`), ` of ${relation(reply.body)}${shown(reply.body['total'])} rows, ${shown(reply.body['took_ms'])} ms in the gateway, ${Math.round(reply.ms)} ms to here`];
  return { told, below: [
    leftOf(reply),
    ...listOfTexts(reply.body['warnings']).map((warning) => make('p', { class: 'notice warn' }, warning)),
    sourceList(listOf(reply.body['sources'])),
    rows.length === 0 ? make('p', { class: 'card empty' }, reply.body['partial'] === true ? NONE_OF_THOSE_THAT_ANSWERED : NONE) : rowTable(rows, COLUMNS[type] ?? []),
    raw(reply),
  ] };
}

/** Refused for what was asked, it has spent one of the day's calls all the same. */
export function refused(reply: Reply): Drawn {
  const { status, body, requestId } = reply;
  const error = isJson(body['error']) ? body['error'] : body;
  const detail = shown(error['detail'] ?? error['message']);
  return { told: [], below: [make('div', { class: 'notice bad', role: 'alert' },
    status === 200 ? null : make('p', {}, make('strong', {}, `${status} ${shown(error['error'] ?? error['code'])}`)),
    make('p', {}, detail === '' ? 'The gateway could not be reached.' : detail),
    requestId === '' ? null : make('p', { class: 'hint' }, `Request ${requestId}`)), leftOf(reply)] };
}

export function leftOf({ left }: Reply): HTMLElement | null {
  return left === null ? null : make('p', { class: 'hint' }, `${left} of today’s free calls are left.`);
}

/** The answer as it came. */
export function raw({ body, requestId }: Reply): HTMLElement {
  return make('details', { class: 'raw' }, make('summary', {}, `The answer as JSON, request ${requestId}`),
    make('pre', { tabindex: '0', role: 'region', 'aria-label': 'The answer as JSON' }, make('code', {}, JSON.stringify(body, null, 2))));
}

function relation({ total_relation: word }: Json): string {
  return word === 'gte' ? 'at least ' : word === 'lte' ? 'at most ' : word === 'approx' ? 'about ' : '';
}

function sourceList(sources: readonly Json[]): HTMLElement {
  const slowestMs = Math.max(...sources.map(({ took_ms: ms }) => Number(ms)), 0.001);
  return make('ul', { class: 'sources', 'aria-label': 'Sources' }, ...sources.map((source) => {
    const meter = make('meter', { min: '0', max: String(slowestMs), value: String(source['took_ms']), 'aria-label': `Time of ${shown(source['source'])}` });
    const status = shown(source['status']);
    return make('li', {},
      make('strong', {}, shown(source['source'])),
      make('span', { class: `badge ${status === 'complete' ? 'good' : status === 'failed' ? 'bad' : 'warn'}` }, status),
      make('span', { class: 'hint' }, `${shown(source['returned'])}${source['matched'] === null ? '' : ` of ${shown(source['matched'])}`} rows`),
      meter,
      make('span', { class: 'number' }, `${shown(source['took_ms'])} ms`),
      source['reason'] === null ? null : make('span', { class: 'hint why' }, shown(source['reason'])));
  }));
}

/** The roles are said: a browser forgets them of a table that is narrow and stands in blocks. */
function rowTable(rows: readonly Json[], columns: readonly (readonly string[])[]): HTMLElement {
  const heads = [...columns.map((fields) => fields.join(', ').replaceAll('_', ' ')), 'source'];
  return make('div', { class: 'scroll', role: 'region', 'aria-label': 'Rows', tabindex: '0' },
    make('table', { role: 'table', class: 'rows' },
      make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...heads.map((name) => make('th', { role: 'columnheader', scope: 'col' }, name)))),
      make('tbody', { role: 'rowgroup' }, ...rows.map((row) => make('tr', { role: 'row' },
        ...columns.map((fields) => cell(shown(row[fields[0] ?? '']), fields.slice(1).map((name) => shown(row[name])))),
        cell(sourcesOf(row), []))))));
}

/** Each value goes in the direction of its own letters, whatever stands beside it. */
function cell(first: string, others: readonly string[]): HTMLElement {
  const second = others.filter((text) => text !== '').flatMap((text, at) => [at === 0 ? '' : ', ', make('bdi', {}, text)]);
  return make('td', { role: 'cell' }, make('span', { class: 'main' }, first === '' ? '–' : make('bdi', {}, first)), second.length === 0 ? null : make('span', { class: 'hint' }, ...second));
}

function sourcesOf({ source, sources }: Json): string {
  return Array.isArray(sources) && sources.length > 0 ? shown(sources) : shown(source);
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

function listOfTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(shown) : [];
}
