import type { Playground } from '../../accounts/playground.ts';
import { LIMITS } from '../../config/limits.ts';
import { ByteSink } from '../../encode/byte_sink.ts';
import { encodeJson, writeResults } from '../../encode/json.ts';
import { negotiate } from '../../encode/negotiate.ts';
import { isOfBrokenRow } from '../../encode/row_layout.ts';
import type { RowShape } from '../../encode/rows.ts';
import type { FoundPage } from '../../find/find.ts';
import { readQuery } from '../../find/request/read_query.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { AppError } from '../../model/errors.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { Query } from '../../model/query.ts';
import { answered } from '../../validate/envelope.ts';
import { isValidateError, readValidateRequest, validateError, VALIDATE_EXAMPLE, type ValidateCode, type ValidateRequest } from '../../validate/request.ts';
import type { Validator } from '../../validate/open.ts';
import { parseJson, readJson } from '../body/json.ts';
import type { Call } from '../call.ts';
import type { Client } from '../client.ts';
import type { RequestHead } from '../exchange.ts';
import type { Route } from '../gateway.ts';
import { readingOf, shapeOf, type FindParts } from './find.ts';
import { answerOf } from './find_answer.ts';
import { masked } from './mask.ts';
import { optionsOf } from './validate.ts';
import { ValidateRefusal } from './validate_problem.ts';

const EXAMPLE = { type: 'contacts', filters: { country: ['US'] }, limit: LIMITS.playgroundRowsMax };

/** Lets a handler serve callers without a key, a few times a day each. */
export function inPlayground(playground: Playground, clientOf: (head: RequestHead) => Client, handle: Route['handle']): Route['handle'] {
  return async (call) => {
    await playground.admit(clientOf(call.exchange.head).network, (calls) => { call.allowance = calls; });
    return handle(call);
  };
}

/** `POST /playground/find`: a page of few rows, its addresses and phone numbers masked. */
export function playgroundFindHandler({ find, catalog, instruments }: FindParts): (call: Call) => Promise<void> {
  const reading = readingOf(catalog);
  return async (call) => {
    negotiate(call.exchange.head.headers.get('accept'), ['json']);
    const body = await call.body();
    if (body === null) return;
    const { lexicons, sources, shapes } = reading();
    const query = readSample(readJson(body, EXAMPLE), (sample) => readQuery(sample, 'page', lexicons, sources));
    let found = await find.page(query, call.receivedMs, call.exchange);
    const shape = shapeOf(shapes[query.type], query);
    let sample: JsonObject;
    try {
      sample = await sampleFrom(call, query, found, shape);
    } catch (error) {
      if (!isOfBrokenRow(error)) throw error;
      found = await find.wholePage(found, query);
      sample = await sampleFrom(call, query, found, shape);
    }
    if (!call.exchange.live) return;
    call.rows = found.page.returned;
    call.sources = found.page.outcomes;
    instruments.rows.add(call.rows, query.type);
    const { results, facets, ...rest } = sample;
    call.answerJson({ results: masked(results), ...rest, facets: masked(facets) });
  };
}

/** Fails of a broken row. */
async function sampleFrom(call: Call, query: Query, { page }: FoundPage, shape: RowShape): Promise<JsonObject> {
  const sink = new ByteSink();
  await writeResults(sink, page.rows, shape);
  encodeJson(sink, answerOf(call, query, { report: page, nextCursor: null, tookMs: monotonicMs() - call.receivedMs }));
  return JSON.parse(Buffer.from(sink.view()).toString()) as JsonObject;
}

/** What find would refuse is refused with a request that works here. */
function readSample(body: JsonObject, read: (sample: JsonObject) => Query): Query {
  try {
    return read(sampleOf(body));
  } catch (error) {
    if (!(error instanceof AppError) || !isObject(error.example)) throw error;
    throw new AppError(error.code, error.message, { example: { ...error.example, limit: LIMITS.playgroundRowsMax } });
  }
}

function sampleOf(body: JsonObject): JsonObject {
  if ('cursor' in body) throw new AppError('unknown_field', 'The playground takes no cursor: with a key /v1/find does.', { example: EXAMPLE });
  const { limit = LIMITS.playgroundRowsMax } = body;
  if (!Number.isSafeInteger(limit) || (limit as number) < 1 || (limit as number) > LIMITS.playgroundRowsMax) {
    throw new AppError('invalid_limit', `The field limit takes an integer from 1 to ${LIMITS.playgroundRowsMax} on the playground.`, { example: EXAMPLE });
  }
  return { ...body, limit };
}

/** `POST /playground/email/validate`: one address, and no word with its mail host. */
export function playgroundValidateHandler(validator: Validator): (call: Call) => Promise<void> {
  return async (call) => {
    negotiate(call.exchange.head.headers.get('accept'), ['json']);
    const body = await call.body();
    if (body === null) return;
    const request = readAddress(body);
    const answer = await validator.validate(request.addresses, optionsOf(call, { ...request, stages: ['syntax', 'domain', 'lists', 'dns'] }));
    call.rows = 1;
    call.answerJson(answered(request, answer, call.requestId));
  };
}

/** One address, or a refusal that advises nothing else: that of the endpoint with a key would send people here a list. */
function readAddress(body: Uint8Array): ValidateRequest {
  const value = parsed(body);
  const request = readValidateRequest(value);
  if (!isValidateError(request) && request.single && Object.keys(value as JsonObject).length === 1) return request;
  throw refusal(isValidateError(request) ? request.code : 'INVALID_REQUEST');
}

function parsed(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    throw error instanceof AppError ? refusal('INVALID_JSON', `${error.message} `) : error;
  }
}

function refusal(code: ValidateCode, place = ''): ValidateRefusal {
  const message = `${place}The playground takes one address and nothing else: ${JSON.stringify(VALIDATE_EXAMPLE)}.`;
  return new ValidateRefusal({ ...validateError(code, message), example: VALIDATE_EXAMPLE });
}
