export type RefusedCode = 'truncated' | 'magic' | 'version' | 'checksum' | 'malformed' | 'exchanged' | 'rows_length' | 'rows_checksum';

/** A segment that must not be read: torn, damaged, of another format, or not the one that was published. */
export class SegmentRefused extends Error {
  override readonly name = 'SegmentRefused';
  readonly code: RefusedCode;

  constructor(code: RefusedCode, detail: string) {
    super(`segment refused (${code}): ${detail}`);
    this.code = code;
  }
}
