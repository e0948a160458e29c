import type { ErrorCode } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import { quoted } from '../lib/json_text.ts';
import { hundredthsText } from '../lib/rounding.ts';
import { isoTime } from './iso_time.ts';

/** All that is ever written of a request. No key, email, query, body or address of the caller is among it. */
export type RequestLine = {
  readonly unixMs: number;
  /** Made here, of letters, digits and dashes. */
  readonly id: string;
  readonly clientRequestId: string | null;
  readonly account: string | null;
  /** The id of the key, which is no secret. */
  readonly key: string | null;
  /** The route as it stands in the table, not the path that was sent. */
  readonly route: string;
  readonly method: string;
  /** The id of what was made, changed or ended. */
  readonly target: string | null;
  readonly status: number;
  readonly error: ErrorCode | null;
  /** Of a 429: the one in the way. */
  readonly cap: string | null;
  readonly ms: number;
  readonly rows: number;
  readonly bytes: number;
  readonly units: number;
  readonly sources: readonly Pick<Outcome, 'source' | 'status' | 'returned' | 'took_ms'>[];
};

const INFO = 30;
const ERROR = 50;

/**
 * One line in the form that pino would give it, put together by hand: every request writes one, and pino's walk over an unknown
 * object costs three times as much as all else that a line needs.
 */
export function requestLine(line: RequestLine): string {
  let text = `{"level":${line.status >= 500 ? ERROR : INFO},"time":"${isoTime(line.unixMs)}","id":"${line.id}"`;
  if (line.clientRequestId !== null) text += `,"client_request_id":${quoted(line.clientRequestId)}`;
  text += whoAsked(line);
  if (line.target !== null) text += `,"target":${quoted(line.target)}`;
  if (line.error !== null) text += `,"error":"${line.error}"`;
  if (line.cap !== null) text += `,"cap":"${line.cap}"`;
  text += `,"ms":${hundredthsText(line.ms)},"rows":${line.rows},"bytes":${line.bytes},"units":${line.units},"sources":[`;
  let comma = '';
  for (const { source, status, returned, took_ms } of line.sources) {
    text += `${comma}{"source":${quoted(source)},"status":"${status}","returned":${returned},"ms":${hundredthsText(took_ms)}}`;
    comma = ',';
  }
  return `${text}],"msg":"request"}\n`;
}

type Who = Pick<RequestLine, 'account' | 'key' | 'method' | 'route' | 'status'>;
let last: Who = { account: null, key: null, method: '', route: '', status: 0 };
let lastText = '';

/** Who asked for what and got which status: most often the same as in the line before, and a look at each text for what is to be escaped costs a third of a line. */
function whoAsked({ account, key, method, route, status }: Who): string {
  if (account === last.account && key === last.key && route === last.route && method === last.method && status === last.status) return lastText;
  const who = `${account === null ? '' : `,"account":${quoted(account)}`}${key === null ? '' : `,"key":${quoted(key)}`}`;
  last = { account, key, method, route, status };
  lastText = `${who},"method":${quoted(method)},"route":${quoted(route)},"status":${status}`;
  return lastText;
}
