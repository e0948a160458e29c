import { request } from 'node:http';

export type HeldStream = {
  /** Reads a piece more, so that the reader is slow and does not stand still. */
  some(): Promise<void>;
  /** Reads on to the end; all lines. */
  rest(): Promise<string[]>;
};

const PIECE_BYTES = 1_048_576;

/** A search as a stream that is read to its first bytes, and on from there when it is told to. */
export async function heldStream({ url, key }: { readonly url: string; readonly key: string }, body: object): Promise<HeldStream> {
  const answer = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
    const sent = request(`${url}/v1/find`, { method: 'POST', headers: { authorization: `Bearer ${key}`, accept: 'application/x-ndjson' } }, resolve);
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
  const pieces = answer[Symbol.asyncIterator]();
  const all: Buffer[] = [];
  const read = async (bytes: number): Promise<void> => {
    for (let had = 0; had < bytes;) {
      const next = await pieces.next();
      if (next.done === true) return;
      all.push(next.value);
      had += next.value.length;
    }
  };
  await read(1);
  return {
    some: () => read(PIECE_BYTES),
    async rest() {
      await read(Infinity);
      return Buffer.concat(all).toString().trimEnd().split('\n');
    },
  };
}
