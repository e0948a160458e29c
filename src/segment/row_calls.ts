/** A text that may stand in many rows. Its number is the writer's own. */
export type Phrase = number;

/**
 * A row is begun, then given by fixed texts and values in the order of its text:
 *
 *   begin ▶ fixed, fixed, open ▶ the caller writes a value ▶ close ▶ fixed, open ▶ value ▶ close ▶ ... ▶ end
 *
 * Each says where the next value will stand. `row` does all of that for a row whose fields the memory tells. See `rows.wat`.
 */
export type RowCalls = {
  readonly begin: (at: number) => number;
  readonly fixed: (phrase: Phrase, at: number) => number;
  readonly open: (at: number) => number;
  readonly close: (bytes: number) => void;
  readonly end: (start: number, at: number) => number;
  readonly row: (ending: Phrase, start: number) => number;
  readonly piece: (bytes: number) => void;
  /** Room for so many bytes from there on, and for their pieces. The memory may grow by any call. */
  readonly reserve: (at: number, bytes: number) => void;
  readonly note_texts: (from: number, end: number, count: number, to: number) => number;
  readonly name_entries: (entry: number, count: number, full: number, number: number, texts: number) => number;
  readonly compact: WebAssembly.Global<'i32'>;
  readonly low: WebAssembly.Global<'i32'>;
  readonly top: WebAssembly.Global<'i32'>;
  readonly gap: WebAssembly.Global<'i32'>;
  readonly stencil: WebAssembly.Global<'i32'>;
};
