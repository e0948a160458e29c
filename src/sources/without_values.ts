/** Behind these an engine quotes what stood in a row, also where it looks like a name. */
const VALUE_BEFORE = /(?:\bstring|\bvalue|\brange:|\btext|\bsyntax for type [\w ]+:)\s*$/i;
/** What names a column, a type, a function or a file. */
const NAME = /^(?:[\w.$()-]{1,63}|\/[^'"`]*)$/;
/** An apostrophe within a word neither begins nor ends anything; what was cut off ends with the text. */
const QUOTED = /(?<!\w)(["'`])([^]*?)(?:\1(?!\w)|$)/g;
/** A statement has in it what a caller searched for, and quotes of its own. */
const STATEMENT = /\b(?:SELECT|WITH)\s[^]*$/;
/** Of what is no JSON the engine quotes a piece. */
const PIECE = /, (?:\.{3})?"[^]*? is not valid JSON/g;
const ADDRESS = /[^\s"'`<>(),:;=@]+@[^\s"'`<>(),:;=@]+/g;
const PHONE = /\+\d{7,}/g;
const HIDDEN = '…';

/**
 * What a source says of its failure, less what may be a person's: engines quote the value that they could not read, and the
 * statement that failed. Names of columns, types and files stay, for whoever has to mend it.
 */
export function withoutValues(said: string): string {
  return said
    .replace(STATEMENT, HIDDEN)
    .replace(PIECE, ` in ${HIDDEN}, which is not valid JSON`)
    .replace(QUOTED, (quoted: string, mark: string, text: string, at: number, whole: string) =>
      (NAME.test(text) && !VALUE_BEFORE.test(whole.slice(0, at)) ? quoted : `${mark}${HIDDEN}${mark}`))
    .replace(ADDRESS, HIDDEN)
    .replace(PHONE, HIDDEN);
}
