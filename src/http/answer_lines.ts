import { STATUS_CODES } from 'node:http';
import type { HeaderLines, Headers } from './exchange.ts';

const LINES: string[] = [];
for (const [status, text] of Object.entries(STATUS_CODES)) LINES[Number(status)] = `${status} ${text}`;

const UNSAFE_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const NAME = /^[A-Za-z0-9-]+$/;
const LINE_BREAK = '\r\n';
const SEPARATOR = ': ';

export const NO_LINES = '' as HeaderLines;

/** `200 OK`, made once for each status. */
export function statusLine(status: number): string {
  const line = LINES[status];
  if (line === undefined) throw new RangeError(`no such status: ${status}`);
  return line;
}

/** Checks what it is given: a line break in a header would begin another header, or another answer. */
export function headerLines(headers: Headers): HeaderLines {
  let lines = '';
  for (const [name, value] of headers) {
    if (!NAME.test(name) || UNSAFE_VALUE.test(value)) throw new TypeError(`unsafe header: ${name.replace(/[^A-Za-z0-9-]/g, '?')}`);
    lines += LINE_BREAK + name + SEPARATOR + value;
  }
  return lines as HeaderLines;
}

/** Lines that were put together of nothing but other such lines, of texts in the source, of numbers and of ids that are ours: nothing in them is to be checked. */
export function ownLines(lines: string): HeaderLines {
  return lines as HeaderLines;
}

/** Names and values by turns, of either form. */
export function flatHeaders(headers: Headers | HeaderLines): string[] {
  const lines = typeof headers === 'string' ? headers : headerLines(headers);
  return lines.split(LINE_BREAK).slice(1).flatMap((line) => [line.slice(0, line.indexOf(SEPARATOR)), line.slice(line.indexOf(SEPARATOR) + SEPARATOR.length)]);
}

export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}
