import { gzipSync } from 'node:zlib';
import { codingQualities, prefersGzip, VARIES } from '../../encode/negotiate.ts';
import { byVersion } from '../../lib/by_version.ts';
import type { Call } from '../call.ts';
import { answerTagged, tagged } from '../etag.ts';

/** A handler of a description that is made and hashed anew only when what it describes has changed: anybody may ask for the longest of them. */
export function descriptionHandler(version: () => number, describe: () => unknown): (call: Call) => void {
  const description = byVersion(version, () => tagged(Buffer.from(JSON.stringify(describe()))));
  return (call) => answerTagged(call, description());
}

const PACKED = [['Content-Encoding', 'gzip']] as const;

/**
 * The same of what never changes, and is long: packed for whoever takes it so, under an ETag of its own. It is made here, before anybody asks: what takes
 * long holds no call up then.
 */
export function documentHandler(document: unknown): (call: Call) => void {
  const plain = tagged(Buffer.from(JSON.stringify(document)));
  const packed = tagged(gzipSync(plain.body));
  return (call) => {
    if (prefersGzip(codingQualities(call.exchange.head.headers.get('accept-encoding')))) answerTagged(call, packed, VARIES, PACKED);
    else answerTagged(call, plain, VARIES);
  };
}
