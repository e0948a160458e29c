import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { codingQualities, prefersGzip, VARIES, type CodingQualities } from '../encode/negotiate.ts';
import type { PageAnswer } from '../model/page.ts';
import { AppError } from '../model/errors.ts';

const PACKED_BYTES_MIN = 1_024;

/** What never changes, as it is and in gzip, which is made when first asked for. */
export class Packed {
  readonly #bytes: Uint8Array;
  #packed: Promise<Buffer> | null = null;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** In the form that whoever asks takes it. */
  async answer(accepted: string | undefined): Promise<Required<Pick<PageAnswer, 'headers' | 'body'>>> {
    if (!this.#packs(codingQualities(accepted))) return { headers: VARIES, body: this.#bytes };
    return { headers: [...VARIES, ['Content-Encoding', 'gzip']], body: await (this.#packed ??= promisify(gzip)(this.#bytes)) };
  }

  /** What is small is packed only for whoever refuses it as it is. */
  #packs(accepted: CodingQualities): boolean {
    if (accepted.identity === 0 && accepted.gzip === 0) throw new AppError('not_acceptable', 'This file comes as it is, or in gzip.');
    return this.#bytes.byteLength < PACKED_BYTES_MIN ? accepted.identity === 0 : prefersGzip(accepted);
  }
}
