import { AppError } from '../model/errors.ts';

/** The forms of an answer, the preferred first where a caller takes several as gladly. */
export const MEDIA_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  msgpack: 'application/vnd.msgpack',
  csv: 'text/csv',
} as const;
export type Media = keyof typeof MEDIA_TYPES;

const FIND_MEDIA: readonly Media[] = ['json', 'ndjson', 'msgpack', 'csv'];

/** What stands in `Content-Type`. */
export function contentType(media: Media): string {
  if (media === 'json') return `${MEDIA_TYPES.json}; charset=utf-8`;
  return media === 'csv' ? 'text/csv; charset=utf-8; header=present' : MEDIA_TYPES[media];
}

type Range = { readonly type: string; readonly quality: number };

/** The form to answer in; JSON where nothing is said. `not_acceptable` where none of the offered is taken. */
export function negotiate(accept: string | undefined, offered: readonly Media[] = FIND_MEDIA): Media {
  if (accept === undefined || accept === '*/*' || accept === MEDIA_TYPES[offered[0]!] || accept.trim() === '') return offered[0]!;
  const ranges = accept.split(',').filter((part) => part.trim() !== '').map(readRange);
  let best: Media | null = null;
  let bestQuality = 0;
  for (const media of offered) {
    const quality = qualityOf(MEDIA_TYPES[media], ranges);
    if (quality > bestQuality) [best, bestQuality] = [media, quality];
  }
  if (best !== null) return best;
  throw new AppError('not_acceptable', `This endpoint answers in ${offered.map((media) => MEDIA_TYPES[media]).join(', ')}.`);
}

const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** A quality that is malformed counts as none given. */
function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.map((parameter) => QUALITY.exec(parameter)?.[1]).find((found) => found !== undefined);
  return { type, quality: quality === undefined ? 1 : Number(quality) };
}

/** The most specific range that covers the type decides: `text/csv;q=0` refuses it in spite of any wildcard. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  for (const covering of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const range = ranges.find((each) => each.type === covering);
    if (range !== undefined) return range.quality;
  }
  return 0;
}

/** What is told with an answer whose coding was chosen by what the caller takes. */
export const VARIES = [['Vary', 'Accept-Encoding']] as const;

/** How gladly a caller takes bytes as they are, and packed; 0 is a refusal. */
export type CodingQualities = { readonly identity: number; readonly gzip: number };

/** Bytes as they are need not be named to be taken; whatever is named comes before them. */
const UNNAMED = 0.000_5;

/** By RFC 9110, 12.5.3. Whoever says nothing may not be able to unpack. */
export function codingQualities(acceptEncoding: string | undefined): CodingQualities {
  if (acceptEncoding === undefined) return { identity: 1, gzip: 0 };
  const ranges = acceptEncoding.split(',').map(readRange);
  const named = (...names: readonly string[]): number | undefined => ranges.find(({ type }) => names.includes(type))?.quality;
  const others = named('*');
  return { identity: named('identity') ?? others ?? UNNAMED, gzip: named('gzip', 'x-gzip') ?? others ?? 0 };
}

export function prefersGzip({ identity, gzip }: CodingQualities): boolean {
  return gzip > 0 && gzip >= identity;
}
