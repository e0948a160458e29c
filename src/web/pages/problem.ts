import type { PageProblem, PageText } from '../../model/page.ts';
import { page } from '../answers.ts';
import { cookieOf } from '../cookies.ts';
import { html } from '../html.ts';
import { layout, type AssetUrl } from '../layout.ts';

const TITLES = new Map([
  [400, 'This cannot be taken'], [403, 'Not from here'], [404, 'Nothing here'], [405, 'Only a form goes here'], [413, 'Too large'], [429, 'Too often'],
  [500, 'Something failed on our side'], [503, 'Not now'],
]);

/** A failure in words, with the id to quote. */
export function problemPage(asset: AssetUrl, problem: PageProblem): PageText {
  const { status, code, detail, requestId } = problem;
  const title = TITLES.get(status) ?? 'This did not work';
  // Nobody is looked up for what has failed: the dashboard itself asks again.
  const signedIn = cookieOf(problem, 'session') !== '';
  const body = layout({ title, path: '', asset, signedIn, kind: 'narrow' }, html`
    <p class="eyebrow">${status} ${code}</p>
    <h1>${title}</h1>
    <p class="lead">${detail}</p>
    <p class="hint">Request <code>${requestId}</code></p>
    <p><a href="/">To the start</a></p>`);
  return page(body, { status });
}
