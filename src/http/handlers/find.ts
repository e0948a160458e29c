import { unitsOfRows } from '../../accounts/plans.ts';
import { negotiate, type Media } from '../../encode/negotiate.ts';
import { isOfBrokenRow } from '../../encode/row_layout.ts';
import { RowShape, rowLayout } from '../../encode/rows.ts';
import { SinkPool } from '../../encode/sink_pool.ts';
import { releasePage, type Find, type FoundPage } from '../../find/find.ts';
import type { AnswerForm } from '../../find/request/body.ts';
import { lexicon, type Lexicons } from '../../find/request/lexicon.ts';
import { readQuery, type KnownSources } from '../../find/request/read_query.ts';
import type { CatalogView } from '../../find/sources.ts';
import { byVersion } from '../../lib/by_version.ts';
import type { Dataset } from '../../model/dataset.ts';
import type { Query } from '../../model/query.ts';
import type { Instruments } from '../../telemetry/instruments.ts';
import { HOPS_HEADER, readHops } from '../../model/hops.ts';
import { readJson } from '../body/json.ts';
import type { Call } from '../call.ts';
import { unauthorized } from '../guard/key.ts';
import { answerRows, type Answering } from './find_rows.ts';
import { streamFind } from './find_stream.ts';
import { answerJoined, answerTexts } from './find_texts.ts';

export type FindParts = { readonly find: Find; readonly catalog: () => CatalogView; readonly instruments: Instruments };

/** `POST /v1/find`: form of the answer → body → query → units → search → answer. */
export function findHandler(parts: FindParts): (call: Call) => Promise<void> {
  const reading = readingOf(parts.catalog);
  const sinks = new SinkPool();
  return async (call) => {
    const media = negotiate(call.exchange.head.headers.get('accept'));
    const body = await call.body();
    if (body === null) return;
    const { lexicons, sources, shapes } = reading();
    const asked = readQuery(readJson(body), FORMS[media], lexicons, sources);
    const hops = readHops(call.exchange.head.headers.get(HOPS_HEADER));
    const query = hops === null ? asked : Object.freeze({ ...asked, hops });
    const shape = shapeOf(shapes[query.type], query);
    if (media === 'ndjson') await streamFind(call, parts.find, query, shape);
    else {
      const more = unitsOfRows(query.limit) - 1;
      if (more > 0) await call.reserve(more);
      const form = shape.wanted === null || query.fields !== null ? media : 'rows';
      const found = await parts.find.page(query, call.receivedMs, call.exchange, form);
      refuseRevoked(call, found);
      // Not awaited: that would cost most calls more than the encoding.
      if (found.page.texts === null) await answerSound(call, query, found, { media, find: parts.find, shape, sinks });
      else if (media === 'json') answerTexts(call, query, found, sinks);
      else answerJoined(call, query, found, { media, shape, sinks });
    }
    parts.instruments.rows.add(call.rows, query.type);
  };
}

const FORMS: Record<Media, AnswerForm> = { json: 'page', msgpack: 'page', csv: 'csv', ndjson: 'stream' };

/** A search may take half a minute, and what its key opened may have ended meanwhile. */
function refuseRevoked({ permit }: Call, { page }: FoundPage): void {
  if (permit?.revoked !== true) return;
  releasePage(page);
  throw unauthorized();
}

/** Without the rows that have rotted where they are stored. */
async function answerSound(call: Call, query: Query, found: FoundPage, answering: Answering): Promise<void> {
  try {
    await answerRows(call, query, found, answering);
  } catch (error) {
    if (!isOfBrokenRow(error)) throw error;
    await answerRows(call, query, await answering.find.wholePage(found, query), answering);
  }
}

type Reading = {
  readonly lexicons: Lexicons;
  readonly sources: KnownSources;
  /** For calls that want all fields. */
  readonly shapes: Readonly<Record<Dataset, RowShape>>;
};

/** What requests are read with, made anew only when the catalog has changed. */
export function readingOf(catalog: () => CatalogView): () => Reading {
  return byVersion(() => catalog().version, () => {
    const present = catalog();
    const { vocabularies, sources } = present;
    const named = (dataset: Dataset): Set<string> => new Set(sources.filter((source) => source.dataset === dataset).map(({ name }) => name));
    return {
      lexicons: { contacts: lexicon(vocabularies.contacts), companies: lexicon(vocabularies.companies) },
      sources: { contacts: named('contacts'), companies: named('companies') },
      shapes: { contacts: wholeShape(present, 'contacts'), companies: wholeShape(present, 'companies') },
    };
  });
}

export function shapeOf(whole: RowShape, { fields }: Query): RowShape {
  return fields === null ? whole : new RowShape(whole.layout, fields);
}

/** Rows are copied as they are stored, unless some lack a field that was declared since. */
function wholeShape({ vocabularies, sources, retained }: CatalogView, dataset: Dataset): RowShape {
  const layout = rowLayout(vocabularies[dataset]);
  const stored = [...sources, ...retained.values()].filter((source) => source.dataset === dataset);
  return new RowShape(layout, stored.every(({ rowFields }) => rowFields.join() === layout.names.join()) ? null : layout.names);
}
