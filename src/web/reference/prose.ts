import { html, type Html } from '../html.ts';

const FORM = '#/components/schemas/';

/** `## Pages and more` is reached as `#pages-and-more`. */
export function anchorOf(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

export function formName(reference: string): string {
  return reference.slice(FORM.length);
}

export function formLink(reference: string): Html {
  const name = formName(reference);
  return html`<a href="#form-${name}">${name}</a>`;
}

/** One line of text: what stands between two backquotes is code, and the place of a form in the document a link to it here. */
export function line(text: string): Html {
  return html`${text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : linked(part)))}`;
}

function linked(text: string): Html {
  return html`${text.split(/(#\/components\/schemas\/\w+)/).map((part, at) => (at % 2 === 1 ? formLink(part) : part))}`;
}

/** The titles of a guide, in their order. */
export function titlesIn(guide: string): string[] {
  return Array.from(guide.matchAll(/^## (.+)$/gm), ([, title]) => title!);
}

/** As much of Markdown as the guide is written in: titles, paragraphs, tables and code. */
export function prose(guide: string): Html[] {
  return guide.split('\n\n').map((block) => {
    if (block.startsWith('## ')) return html`<h2 id="${anchorOf(block.slice(3))}">${line(block.slice(3))}</h2>`;
    return block.startsWith('|') ? table(block.trim().split('\n')) : html`<p>${line(block)}</p>`;
  });
}

function table([head = '', , ...rows]: readonly string[]): Html {
  const cells = (row: string): readonly string[] => row.slice(1, -1).split('|').map((cell) => cell.trim());
  return html`<div class="scroll" tabindex="0"><table><thead><tr>${cells(head).map((cell) => html`<th scope="col">${line(cell)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${line(cell)}</td>`)}</tr>`)}</tbody></table></div>`;
}
