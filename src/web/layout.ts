import { html, type Html, type Part } from './html.ts';

/** The address under which a file of the site is served, by its name. */
export type AssetUrl = (name: string) => string;

type Frame = {
  readonly title: string;
  /** The path of the page, for the navigation to mark it. */
  readonly path: string;
  readonly asset: AssetUrl;
  readonly signedIn: boolean;
  /** Scripts that improve the page, by name; it works without them unless it says so itself. */
  readonly scripts?: readonly string[];
  /** A class of the body, where a page has a layout of its own. */
  readonly kind?: 'reading' | 'wide' | 'narrow';
  /** Of a page that answers a form: what loading it again, or coming back to it, shows in its place, lest the form be sent twice. */
  readonly again?: string | null;
};

export function layout({ title, path, asset, signedIn, scripts = [], kind = 'wide', again = null }: Frame, ...content: readonly Part[]): Html {
  const run = again === null ? scripts : [...scripts, 'once.js'];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Lead Data Service</title>
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('site.css')}">
${run.map((name) => html`<script type="module" src="${asset(name)}"></script>`)}
</head>
<body class="${kind}"${again !== null && html` data-again="${again}"`}>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
  <a class="brand" href="/"${path === '/' && html` aria-current="page"`}>${mark()}<span>Lead Data Service</span></a>
  <nav aria-label="Site"><ul>${navigation(path, signedIn)}</ul></nav>
</header>
<main id="content" tabindex="-1">${content}</main>
<footer class="bottom">
  <p>A gateway for contact and company data.</p>
  <ul><li><a href="/docs">API reference</a></li><li><a href="/openapi.json">OpenAPI</a></li><li><a href="/health">Status</a></li></ul>
</footer>
</body>
</html>
`;
}

function navigation(path: string, signedIn: boolean): Html[] {
  const own = signedIn ? [['/dashboard', 'Dashboard']] : [['/login', 'Sign in'], ['/signup', 'Sign up']];
  return [['/playground', 'Playground'], ['/docs', 'Docs'], ...own]
    .map(([to, label]) => html`<li><a href="${to}"${to === path && html` aria-current="page"`}>${label}</a></li>`);
}

/** Many lines that become one. */
function mark(): Html {
  return html`<svg class="mark" viewBox="0 0 28 28" aria-hidden="true" focusable="false">
    <path d="M2 5h5c6 0 5 9 11 9h8M2 14h24M2 23h5c6 0 5-9 11-9"/><circle cx="24" cy="14" r="2.6"/></svg>`;
}

/** The same, for the tab of the browser, which has no stylesheet. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><rect width="28" height="28" rx="6" fill="#0b5345"/>
<path d="M4 7h4c6 0 4 7 10 7h4M4 14h18M4 21h4c6 0 4-7 10-7" fill="none" stroke="#e9f3ee" stroke-width="2"/><circle cx="22" cy="14" r="2.6" fill="#f2b35d"/></svg>`;
