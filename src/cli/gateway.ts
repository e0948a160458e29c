import { isObject } from '../model/json.ts';
import { EXIT, UsageError, type CommandInput } from './command.ts';
import { BLOCKED_PORT_REMEDY, isBlockedPort } from './doctor/blocked_port.ts';
import { tlsRemedy } from './doctor/tls.ts';
import { textOption } from './words.ts';

/** The address and the key of the options or the environment; an empty variable counts as none. */
export function gatewayOf({ values }: CommandInput): { readonly base: string; readonly key: string } {
  const base = textOption(values, 'url') ?? (process.env['LDS_URL'] || `http://127.0.0.1:${process.env['LDS_PORT'] || 8080}`);
  const key = (textOption(values, 'key') ?? process.env['LDS_KEY'] ?? '').trim();
  if (key === '') throw new UsageError('A key is needed: set LDS_KEY, or give --key.');
  if (!/^[!-~]+$/.test(key)) throw new UsageError('The key of LDS_KEY or --key is no key: it has blanks, line ends or other signs in it.');
  if (!isGateway(base)) throw new UsageError('A gateway has a URL such as http://127.0.0.1:8080, without user, password and path: see --url, LDS_URL and LDS_PORT.');
  return { base, key };
}

function isGateway(base: string): boolean {
  const url = URL.canParse(base) ? new URL(base) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

/** Nobody took the call, or who did went away before the end of an answer. */
export class GatewayLost extends Error {
  override readonly name = 'GatewayLost';
}

/** One call to a running gateway; without a body to what is read by GET. */
export async function callGateway(input: CommandInput, path: string, body: object | null, accept: string): Promise<Response> {
  const { terminal } = input;
  const { base, key } = gatewayOf(input);
  try {
    return await fetch(new URL(path, base), {
      method: body === null ? 'GET' : 'POST',
      headers: { accept, authorization: `Bearer ${key}`, ...(body !== null && { 'content-type': 'application/json' }) },
      body: body === null ? null : JSON.stringify(body),
      signal: terminal.signal,
    });
  } catch (error) {
    if (terminal.signal.aborted || !(error instanceof TypeError)) throw error;
    if (error.cause instanceof RangeError) throw new Error('This process has too few addresses to read an answer (ulimit -v): lds doctor says what to do.', { cause: error });
    const code = error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : '';
    const advice = isBlockedPort(error) ? BLOCKED_PORT_REMEDY : tlsRemedy(code);
    throw new GatewayLost(`No gateway answers at ${base}${code && ` (${code})`}${advice === null ? '. Is it running?' : `: ${advice}.`}`, { cause: error });
  }
}

/** Tells why the gateway refused. `answer` is its body, or anything where that is not from one. */
export function tellRefusal(name: string, response: Response, answer: unknown, { terminal }: CommandInput): number {
  const id = response.headers.get('x-request-id');
  const { error, detail, tip } = isObject(answer) ? answer : {};
  const said = isObject(error) ? [error['code'], error['message']] : [error, detail, tip];
  const [code, ...sentences] = said.filter((part) => typeof part === 'string');
  // A gateway's own refusal may break off, but has its id.
  const nothing = id === null ? ': What answers there is no gateway.' : '';
  const told = code === undefined ? nothing : ` ${code}${sentences.length === 0 ? '' : `: ${sentences.join(' ')}`}`;
  terminal.note(`lds ${name}: ${response.status}${told}${id === null ? '' : ` [request ${id}]`}\n`);
  return EXIT.failed;
}
