import { LIMITS } from '../../config/limits.ts';
import { keep } from '../../lib/keep.ts';
import { suggestion } from '../../lib/nearest.ts';
import { DATASETS, type Dataset } from '../../model/dataset.ts';
import { AppError } from '../../model/errors.ts';
import { narrows } from '../../model/filter.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { Query, Term } from '../../model/query.ts';
import { FIND_BODIES, isNames, ROWS_DEFAULT, ROWS_MAX, TIMEOUT_MS_DEFAULT, TIMEOUT_MS_MAX, type AnswerForm, type FindBody } from './body.ts';
import { echoed } from './echo.ts';
import { FIND_EXAMPLE, findExample, textExample } from './example.ts';
import { readFilters, unknownFilter, type Lexicon, type Lexicons } from './lexicon.ts';
import { refuseForm } from './refuse_form.ts';
import { parseText } from './text.ts';

/** The public names of the sources of each dataset. */
export type KnownSources = Readonly<Record<Dataset, ReadonlySet<string>>>;

const MEMBERS = Object.keys(FIND_BODIES.page.shape);
const KNOWN_MEMBERS: ReadonlySet<string> = new Set(MEMBERS);
const NO_FILTERS: JsonObject = {};
const ALL_SOURCES: Pick<Query, 'only' | 'ignore'> = { only: null, ignore: [] };

/** The search that a body asks for, or the first of its faults. Cost: 1 to 6 us. */
export function readQuery(body: JsonObject, form: AnswerForm, lexicons: Lexicons, sources: KnownSources): Query {
  const type = readType(body.type);
  const asked = isOrdinary(body, form) ? body : checked(body, form, type);
  const known = lexicons[type];
  const filters = readFilters(asked.filters ?? NO_FILTERS, known);
  const terms = asked.query === undefined ? [] : readTerms(asked.query, type);
  if (terms.length > 0 && !filters.some(narrows)) refuseLooseText(type);
  const { only, ignore } = asked.sources === undefined ? ALL_SOURCES : readSources(asked.sources, type, asked.cursor === undefined ? sources[type] : null);
  return Object.freeze({
    type,
    terms,
    filters,
    only,
    ignore,
    fields: asked.fields === undefined ? null : readFields(asked.fields, known),
    facets: asked.facets === undefined ? [] : readFacets(asked.facets, known),
    limit: asked.limit ?? ROWS_DEFAULT[form],
    cursor: asked.cursor ?? null,
    timeoutMs: asked.timeout_ms ?? TIMEOUT_MS_DEFAULT[form],
    dedupe: asked.dedupe ?? form !== 'stream',
    count: asked.count ?? 'exact',
    strict: asked.strict ?? false,
    clientRef: asked.client_ref ?? null,
    delivery: form === 'stream' ? 'stream' : 'page',
  });
}

/**
 * Whether the schema takes the body, told without it: a body of the members that most have costs it more than all else that is read here. False says nothing.
 */
function isOrdinary(body: JsonObject, form: AnswerForm): body is FindBody {
  for (const name of Object.keys(body)) {
    const value = body[name];
    switch (name) {
      case 'type': break;
      case 'filters': if (isObject(value)) break; return false;
      case 'limit': if (isIntegerWithin(value, 1, ROWS_MAX[form])) break; return false;
      case 'timeout_ms': if (isIntegerWithin(value, LIMITS.timeoutMsMin, TIMEOUT_MS_MAX[form])) break; return false;
      case 'fields': if (isNames(value, LIMITS.namesMax)) break; return false;
      case 'count': if (value === 'exact' || value === 'none') break; return false;
      case 'dedupe': if (typeof value === 'boolean') break; return false;
      case 'cursor': if (typeof value === 'string' && value.length > 0 && value.length <= LIMITS.cursorCharactersMax) break; return false;
      default: return false;
    }
  }
  return true;
}

function isIntegerWithin(value: unknown, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function checked(body: JsonObject, form: AnswerForm, type: Dataset): FindBody {
  refuseUnknownMembers(body, type);
  const read = FIND_BODIES[form].safeParse(body);
  return read.success ? read.data : refuseForm(read.error.issues[0]!, form, type);
}

function readType(type: unknown): Dataset {
  if (type === 'contacts' || type === 'companies') return type;
  const example = FIND_EXAMPLE;
  if (type === undefined) throw new AppError('missing_type', `The body has no type: it is ${DATASETS.join(' or ')}.`, { example });
  const meant = typeof type === 'string' ? suggestion(type, DATASETS) : '';
  throw new AppError('unknown_type', `The type is ${DATASETS.join(' or ')}, and nothing else${meant}.`, { example });
}

function refuseUnknownMembers(body: JsonObject, type: Dataset): void {
  for (const name of Object.keys(body)) {
    if (KNOWN_MEMBERS.has(name)) continue;
    throw new AppError('unknown_field', `A find body has no field ${echoed(name)}${suggestion(name, MEMBERS)}.`, { example: findExample(type) });
  }
}

function readTerms(text: string, type: Dataset): readonly Term[] {
  const terms = parseText(text);
  if (typeof terms !== 'string') return terms;
  throw new AppError('invalid_query', `The query ${terms}.`, { example: textExample(type) });
}

function refuseLooseText(type: Dataset): never {
  const detail = 'A query needs a narrowing filter beside it, such as country: presence filters and exclusions do not narrow.';
  throw new AppError('query_without_narrowing_filter', detail, { example: textExample(type) });
}

/** In the order of the row. Callers ask for the same lists again and again: each is put in order once. */
function readFields(asked: readonly string[], { dataset, fields, fieldLists }: Lexicon): readonly string[] {
  // With their number: a name with a comma in it is none, whatever its parts are.
  const written = `${asked.length} ${asked.join()}`;
  const known = fieldLists.get(written);
  if (known !== undefined) return known;
  const unknown = asked.find((name) => !fields.has(name));
  if (unknown !== undefined) {
    const detail = `A row of ${dataset} has no field ${echoed(unknown)}${suggestion(unknown, fields.keys())}.`;
    throw new AppError('unknown_field', detail, { example: findExample(dataset, { fields: ['id', 'country', 'updated_at'] }) });
  }
  const ordered = [...new Set([...asked, 'id', 'source'])].sort((a, b) => fields.get(a)! - fields.get(b)!);
  return keep(fieldLists, written, ordered, LIMITS.fieldListsKept);
}

function readFacets(asked: readonly string[], { dataset, filters }: Lexicon): readonly string[] {
  const unknown = asked.find((name) => !filters.has(name));
  return unknown === undefined ? [...new Set(asked)] : unknownFilter(unknown, dataset, filters);
}

/** `known` is null amid a walk, whose names were known when it began: a source may have left since, or be still to come to this gateway. */
function readSources(asked: NonNullable<FindBody['sources']>, type: Dataset, known: ReadonlySet<string> | null): Pick<Query, 'only' | 'ignore'> {
  const only = asked.only === undefined ? null : [...new Set(asked.only)];
  const ignore = new Set(asked.ignore);
  if (known === null) return { only, ignore: [...ignore] };
  const unknown = [...only ?? [], ...ignore].find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new AppError('unknown_source', `There is no source ${echoed(unknown)} of ${type}${suggestion(unknown, known)}.`, { example: findExample(type) });
  }
  if (known.size > 0 && [...only ?? known].every((name) => ignore.has(name))) {
    throw new AppError('invalid_field', 'The field sources leaves no source to ask.', { example: findExample(type) });
  }
  return { only, ignore: [...ignore] };
}
