import { html, type Html } from '../html.ts';

/** `12,345`. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** A moment in UTC, to the second. */
export function moment(unixMs: number): Html {
  const iso = new Date(unixMs).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)}</time>`;
}

export function day(unixMs: number): Html {
  const iso = new Date(unixMs).toISOString().slice(0, 10);
  return html`<time datetime="${iso}">${iso}</time>`;
}
