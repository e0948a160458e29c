import type { SyntaxCode } from '../codes.ts';
import { LIMITS } from '../../config/limits.ts';
import { ATEXT, BACKSLASH, DELETE, DOT, QUOTE, SPACE, faultOf, unicodeFault } from './characters.ts';

export type Local = { readonly text: string; readonly quoted: boolean; readonly eai: boolean };

/** A dot-string of RFC 5321 with the letters of RFC 6531. NFC can turn a letter into an ASCII special, so what it changed is scanned again. */
export function readDotString(text: string): Local | SyntaxCode {
  const eai = scanDotString(text);
  if (typeof eai === 'string') return eai;
  if (!eai) return text.length > LIMITS.localOctetsMax ? 'SYNTAX_LOCAL_TOO_LONG' : { text, quoted: false, eai };
  const fault = unicodeFault(text);
  if (fault !== null) return fault;
  if (octets(text) > LIMITS.localOctetsMax) return 'SYNTAX_LOCAL_TOO_LONG';
  const normal = text.normalize('NFC');
  if (normal !== text) return readDotString(normal);
  return { text, quoted: false, eai };
}

/** Whether letters beyond ASCII occur, or the fault. */
function scanDotString(text: string): boolean | SyntaxCode {
  const length = text.length;
  if (length === 0) return 'SYNTAX_LOCAL_EMPTY';
  let eai = false;
  let afterDot = true;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) eai = true;
    else if (ATEXT[code] === 0) {
      if (code === QUOTE) return 'SYNTAX_QUOTE_UNCLOSED';
      if (code !== DOT) return faultOf(code, 'SYNTAX_LOCAL_CHAR');
      if (afterDot) return dotFault(text);
      afterDot = true;
      continue;
    }
    afterDot = false;
  }
  return afterDot ? 'SYNTAX_LOCAL_DOT' : eai;
}

/** A character that is not allowed at all says more than a dot out of place. */
function dotFault(text: string): SyntaxCode {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128 && ATEXT[code] === 0 && code !== DOT) return faultOf(code, 'SYNTAX_LOCAL_CHAR');
  }
  return 'SYNTAX_LOCAL_DOT';
}

/** A quoted string at the head of `input`, and where it ends (after the closing quote). */
export function readQuoted(input: string): { readonly local: Local; readonly end: number } | SyntaxCode {
  let content = '';
  let eai = false;
  for (let at = 1; at < input.length; at++) {
    let code = input.charCodeAt(at);
    if (code === QUOTE) {
      const local = quotedLocal(input.slice(0, at + 1), content, eai);
      return typeof local === 'string' ? local : { local, end: at + 1 };
    }
    if (code === BACKSLASH) {
      at += 1;
      if (at === input.length) break;
      code = input.charCodeAt(at);
      if (code >= 128) return 'SYNTAX_LOCAL_CHAR';
    }
    if (code < SPACE || code === DELETE) return 'SYNTAX_CONTROL_CHAR';
    if (code >= 128) eai = true;
    content += input[at];
  }
  return 'SYNTAX_QUOTE_UNCLOSED';
}

function quotedLocal(sent: string, content: string, eai: boolean): Local | SyntaxCode {
  if (octets(sent) > LIMITS.localOctetsMax) return 'SYNTAX_LOCAL_TOO_LONG';
  const fault = eai ? unicodeFault(content.replaceAll(' ', '')) : null;
  if (fault !== null) return fault;
  const normal = eai ? content.normalize('NFC') : content;
  const bare = readDotString(normal);
  if (typeof bare !== 'string') return { ...bare, quoted: true };
  const text = `"${normal.replace(/["\\]/g, '\\$&')}"`;
  return octets(text) > LIMITS.localOctetsMax ? 'SYNTAX_LOCAL_TOO_LONG' : { text, quoted: true, eai: octets(text) > text.length };
}

export function octets(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
