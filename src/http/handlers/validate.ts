import { ByteSink } from '../../encode/byte_sink.ts';
import { contentType, negotiate } from '../../encode/negotiate.ts';
import { SinkPool } from '../../encode/sink_pool.ts';
import { AnswerText } from '../../validate/answer_text.ts';
import { ended } from '../../validate/envelope.ts';
import { AppError } from '../../model/errors.ts';
import type { Validator } from '../../validate/open.ts';
import { isValidateError, readValidateRequest, type ValidateRequest } from '../../validate/request.ts';
import { parseJson } from '../body/json.ts';
import { STATUS_GONE, type Call } from '../call.ts';
import { unauthorized } from '../guard/key.ts';
import { problemOf } from '../problem.ts';
import { LineQueue } from './line_queue.ts';
import { validateCodeOf, ValidateRefusal } from './validate_problem.ts';

export type ValidateParts = { readonly validator: Validator; readonly emailsMax: number };

/** `POST /v1/email/validate`: form of the answer → body → request → units → validation → envelope. One unit an address whose result its caller was there to get. */
export function validateHandler({ validator, emailsMax }: ValidateParts): (call: Call) => Promise<void> {
  const sinks = new SinkPool();
  const spare = new ByteSink();
  return async (call) => {
    const media = negotiate(call.exchange.head.headers.get('accept'), ['json', 'ndjson']);
    const body = await call.body();
    if (body === null) return;
    const request = readValidateRequest(parseJson(body), emailsMax);
    if (isValidateError(request)) throw new ValidateRefusal(request);
    if (request.addresses.length > 1) await call.reserve(request.addresses.length - 1);
    if (media === 'ndjson') await streamResults(call, validator, request, sinks);
    else await answerResults(call, validator, request, sinks, spare);
  };
}

async function answerResults(call: Call, validator: Validator, request: ValidateRequest, sinks: SinkPool, spare: ByteSink): Promise<void> {
  const sink = sinks.take();
  try {
    const text = new AnswerText(sink, request);
    const options = optionsOf(call, request);
    const end = await validator.write(request.addresses, options, text);
    if (!call.exchange.live) return;
    refuseRevoked(options);
    call.rows = request.addresses.length;
    call.settle(request.addresses.length);
    call.answer({ status: 200, body: text.finish(end, call.requestId, spare) });
  } finally {
    sinks.give(sink);
  }
}

/** Results leave as they are found, each with its place; nothing is sent before the first is there, so that a 502 can still be one. */
async function streamResults(call: Call, validator: Validator, request: ValidateRequest, sinks: SinkPool): Promise<void> {
  const lines = new LineQueue(call.exchange, sinks, () => call.begin(contentType('ndjson')));
  try {
    const options = optionsOf(call, request);
    const end = await validator.write(request.addresses, options, lines);
    refuseRevoked(options);
    call.rows = lines.results;
    call.settle(lines.results);
    if (!call.exchange.live) call.status = STATUS_GONE;
    call.bytes = await lines.end(JSON.stringify(ended(end, call.requestId, { units_charged: call.permit!.charged, units_remaining: call.unitsRemaining() })));
  } catch (error) {
    if (!call.exchange.begun) throw error;
    call.rows = lines.results;
    call.settle(call.rows);
    const { code, detail } = problemOf(error);
    call.bytes = await lines.end(JSON.stringify({ '@error': { error: validateCodeOf(code), detail, request_id: call.requestId } }));
    throw error;
  }
}

type Options = Parameters<Validator['validate']>[1] & { readonly signal: AbortSignal };

/** The work stops when the caller leaves, or his key ends. */
export function optionsOf(call: Call, { stages, timeoutMs }: ValidateRequest): Options {
  const leaving = new AbortController();
  call.exchange.onGone(() => leaving.abort());
  call.permit?.onRevoked(() => leaving.abort(unauthorized()));
  return { stages, deadlineMs: call.receivedMs + timeoutMs, signal: leaving.signal };
}

function refuseRevoked({ signal }: Options): void {
  if (signal.reason instanceof AppError) throw signal.reason;
}
