import type { SyntaxCode } from '../codes.ts';

/** RFC 5321 `atext`, as a table of the ASCII codes. */
export const ATEXT: Uint8Array = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~") ATEXT[character.charCodeAt(0)] = 1;

export const [TAB, LF, CR, SPACE, QUOTE, OPEN_PAREN, CLOSE_PAREN, HYPHEN, DOT, AT, OPEN_BRACKET, BACKSLASH, DELETE] =
  [9, 10, 13, 32, 34, 40, 41, 45, 46, 64, 91, 92, 127] as const;

const BLANK = /[\p{Zs}\p{Zl}\p{Zp}]/u;
/** Controls, format characters (bidi controls, zero widths), surrogates, private use, unassigned; and what is drawn as nothing: of the variation selectors all but those of a pictograph or a keycap. */
const UNSAFE = /\p{C}|\u034f|[\u115f\u1160\u3164\uffa0]|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]|(?<!\p{Extended_Pictographic})[\ufe0e\ufe0f](?!\u20e3)/u;
const LEADING_MARK = /^\p{M}/u;

/** The fault of an ASCII character that may not stand where it stands; `otherwise` where it has no code of its own. */
export function faultOf(code: number, otherwise: SyntaxCode): SyntaxCode {
  if (code === SPACE || code === TAB) return 'SYNTAX_WHITESPACE';
  if (code < SPACE || code === DELETE) return 'SYNTAX_CONTROL_CHAR';
  if (code === OPEN_PAREN || code === CLOSE_PAREN) return 'SYNTAX_COMMENT_NOT_ALLOWED';
  return otherwise;
}

/** What stands against a text beyond ASCII in a local part; null for nothing. */
export function unicodeFault(text: string): SyntaxCode | null {
  if (BLANK.test(text)) return 'SYNTAX_WHITESPACE';
  return UNSAFE.test(text) || LEADING_MARK.test(text) ? 'SYNTAX_UNSAFE_UNICODE' : null;
}
