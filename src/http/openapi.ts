import { LIMITS } from '../config/limits.ts';
import { MEDIA_TYPES } from '../encode/negotiate.ts';
import { validateCodesOf } from '../validate/request.ts';
import { adminPaths } from './openapi/admin_paths.ts';
import { componentDocuments, reference, type ComponentName, type Vocabularies } from './openapi/components.ts';
import {
  FIND_ANSWER, FIND_CSV, FIND_REQUESTS, FIND_STREAM, HEALTH_ANSWER, PROBLEMS, SOURCES_ANSWER, USAGE_ANSWER, VALIDATE_DONE, VALIDATE_REFUSALS, VALIDATE_REQUESTS, VALIDATE_STREAM,
} from './openapi/examples.ts';
import { callersGuide } from './openapi/guide.ts';
import { answer, bare, CHARGED, HEADERS, LIMITED, problems, refusing, type Part } from './openapi/headed.ts';
import { PROBLEM_CODES } from './openapi/problem_schemas.ts';
import { codesOf } from './problem.ts';

type Examples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;

const PUBLIC = { security: [] };
const KEYLESS = [429, 500, 503];
const AUTHENTICATED = [401, ...KEYLESS];
const SEARCHING = [400, ...AUTHENTICATED, 406, 413, 415, 502, 508];

/** The OpenAPI 3.1 document of the paths that are served: paths by hand, forms from the schemas that also check. */
export function openapiDocument(vocabularies: Vocabularies, served: ReadonlySet<string>): Part {
  const paths: Part = { ...searchPaths(), ...validatePaths(), ...playgroundPaths(), '/health': { get: health() }, ...adminPaths() };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lead Data Service',
      version: 'v1',
      description: callersGuide(),
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: Object.fromEntries(Object.entries(paths).filter(([path]) => served.has(path))),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key: ldx_ and what follows.' } },
      headers: HEADERS,
      responses: problemResponses(),
      schemas: componentDocuments(vocabularies),
    },
  };
}

function searchPaths(): Part {
  return {
    '/v1/find': {
      post: {
        operationId: 'find', tags: ['search'], summary: 'Search contacts or companies in all sources at once',
        description: `Accept chooses the answer: JSON and MessagePack give a page of at most ${LIMITS.pageRowsMax} rows, CSV one of at most ${LIMITS.csvPageRowsMax}, NDJSON streams them all.`,
        requestBody: body('FindRequest', FIND_REQUESTS),
        responses: { 200: findAnswer(), ...problems(SEARCHING) },
      },
    },
    '/v1/sources': { get: described('sources', 'The datasets, their row counts and which filters each supports', 'Sources', SOURCES_ANSWER) },
    '/v1/schema': { get: described('schema', 'The filters, fields and limits, for machines', 'Schema') },
    '/v1/usage': {
      get: {
        operationId: 'usage', tags: ['discovery'], summary: 'Plan, use by day, and what is left of each cap',
        responses: { 200: answer('As of now', json('Usage', USAGE_ANSWER)), ...problems(AUTHENTICATED) },
      },
    },
  };
}

function validatePaths(): Part {
  return {
    '/v1/email/validate': {
      post: {
        operationId: 'validateEmail', tags: ['email'], summary: 'Validate one or many email addresses in stages',
        description: 'An address that is not valid is a result, never an error. Accept: application/x-ndjson streams bulk results as they finish.',
        requestBody: body('ValidateRequest', VALIDATE_REQUESTS),
        responses: {
          200: answer(
            'The verdict, or one for each address',
            { ...json('ValidateAnswer', VALIDATE_DONE), [MEDIA_TYPES.ndjson]: lines(`Lines as in ${reference('ValidateLine').$ref}.`, VALIDATE_STREAM) },
            CHARGED,
          ),
          ...validateProblems([400, 401, 406, 413, 415, 429, 500, 502, 503]),
        },
      },
    },
  };
}

function playgroundPaths(): Part {
  const tags = ['playground'];
  const limited = { description: `${LIMITS.playgroundCallsADay} requests a day and client address, over all playground endpoints; no key.` };
  return {
    '/playground/find': {
      post: {
        ...PUBLIC, ...limited, operationId: 'playgroundFind', tags, summary: `A search of at most ${LIMITS.playgroundRowsMax} rows, emails and phones masked`,
        requestBody: body('PlaygroundFind', { short: { value: { ...FIND_REQUESTS.text.value, limit: LIMITS.playgroundRowsMax } } }),
        responses: { 200: answer('A page', json('FindAnswer')), ...problems([400, ...KEYLESS, 406, 413, 415, 502]) },
      },
    },
    '/playground/email/validate': {
      post: {
        ...PUBLIC, ...limited, operationId: 'playgroundValidateEmail', tags, summary: 'Validate one address, without asking its mail host',
        requestBody: body('PlaygroundValidate', { single: VALIDATE_REQUESTS.single }),
        responses: { 200: answer('The verdict', json('ValidateAnswer', VALIDATE_DONE)), ...validateProblems([400, 406, 413, 415, 429, 500, 502, 503]) },
      },
    },
    '/playground/sources': { get: { ...described('playgroundSources', 'The datasets', 'Sources', SOURCES_ANSWER, KEYLESS), ...PUBLIC, ...limited, tags } },
    '/playground/schema': { get: { ...described('playgroundSchema', 'The filters', 'Schema', undefined, KEYLESS), ...PUBLIC, ...limited, tags } },
  };
}

function health(): Part {
  return {
    ...PUBLIC, operationId: 'health', tags: ['operation'], summary: 'Status of the components',
    responses: {
      200: answer('It serves, even where a source is down', json('Health', HEALTH_ANSWER), [], []),
      503: answer('It is loading its data, or shutting down', json('Health'), refusing(503), []),
    },
  };
}

function json(name: ComponentName, example?: unknown): Part {
  return { [MEDIA_TYPES.json]: { schema: reference(name), ...(example !== undefined && { example }) } };
}

function lines(description: string, example: string): Part {
  return { schema: { type: 'string', description }, example };
}

function body(name: ComponentName, examples: Examples): Part {
  return { required: true, content: { [MEDIA_TYPES.json]: { schema: reference(name), examples } } };
}

function described(operationId: string, summary: string, name: ComponentName, example?: unknown, statuses = AUTHENTICATED): Part {
  return {
    operationId, tags: ['discovery'], summary,
    parameters: [{ name: 'If-None-Match', in: 'header', description: 'the ETag of an answer before', schema: { type: 'string' } }],
    responses: { 200: answer('Its present state', json(name, example), ['ETag']), 304: bare('Unchanged since the ETag of If-None-Match', ['ETag', ...LIMITED]), ...problems(statuses) },
  };
}

function findAnswer(): Part {
  const content = {
    ...json('FindAnswer', FIND_ANSWER),
    [MEDIA_TYPES.ndjson]: lines(`A row a line, and control lines as in ${reference('StreamLine').$ref}.`, FIND_STREAM),
    [MEDIA_TYPES.msgpack]: { schema: { ...reference('FindAnswer'), description: 'The same object; an integer of more than 32 bits is a float of 64, exact up to 2^53.' } },
    [MEDIA_TYPES.csv]: { schema: { type: 'string', description: 'RFC 4180 with a header row; lists are joined by "; ". A value that a spreadsheet would run as a formula, such as every phone number in E.164, has an apostrophe before it.' }, example: FIND_CSV },
  };
  return answer('What arrived in time; partial says whether that is all', content, [...CHARGED, 'Server-Timing', 'X-Total', 'X-Partial', 'X-Next-Cursor']);
}

function problemResponses(): Part {
  return Object.fromEntries(Object.entries(PROBLEMS).map(([status, shown]) => {
    const examples = Object.fromEntries(shown.map((problem) => [problem.error, { value: problem }]));
    const content = { [MEDIA_TYPES.json]: { schema: reference('Problem'), examples } };
    return [`Problem${status}`, answer(codesAt(Number(status)), content, refusing(Number(status)), status === '401' ? [] : LIMITED)];
  }));
}

/** All of them, of which some are shown. */
function codesAt(status: number): string {
  return codesOf(status).filter((code) => PROBLEM_CODES.some((each) => each === code)).join(', ');
}

/** As `problems`, in the envelope of validate. */
function validateProblems(statuses: readonly number[]): Part {
  return Object.fromEntries(statuses.map((status) => {
    const refused = VALIDATE_REFUSALS[status]!;
    return [status, answer(validateCodesOf(status).join(', '), json('ValidateProblem', refused), refusing(status), status === 401 ? [] : LIMITED)];
  }));
}
