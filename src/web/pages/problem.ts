import type { PageProblem, PageText } from '../../model/page.ts';
import { page } from '../answers.ts';
import { html } from '../html.ts';
import { layout, type AssetUrl } from '../layout.ts';

const TITLES = new Map([
  [400, 'This cannot be taken'], [403, 'Not from here'], [404, 'Nothing here'], [413, 'Too large'], [429, 'Too often'],
  [500, 'Something failed on our side'], [503, 'Not now'],
]);

/** A failure in words, with the id to quote. */
export function problemPage(asset: AssetUrl, { status, code, detail, requestId }: PageProblem): PageText {
  const title = TITLES.get(status) ?? 'This did not work';
  const body = layout({ title, path: '', asset, signedIn: false, kind: 'narrow' }, html`
    <p class="eyebrow">${status} ${code}</p>
    <h1>${title}</h1>
    <p class="lead">${detail}</p>
    <p class="hint">Request <code>${requestId}</code></p>
    <p><a href="/">To the start</a></p>`);
  return page(body, { status });
}
