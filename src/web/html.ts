/** Markup that may stand in a page as it is. Only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `null`, `undefined` and `false` leave nothing. */
export type Part = Html | string | number | null | undefined | false | readonly Part[];

/** Markup with its parts put in; every text is escaped, for element content and quoted attributes alike. */
export function html(markup: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = markup[0]!;
  for (const [at, part] of parts.entries()) text += rendered(part) + markup[at + 1]!;
  return new Html(text);
}

function rendered(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === null || part === undefined || part === false) return '';
  if (typeof part === 'object') return part.map(rendered).join('');
  return escaped(String(part));
}

const SPECIAL = /[&<>"']/g;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(SPECIAL, (character) => ENTITIES[character]!);
}
