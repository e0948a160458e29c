/**
 * Colours by what they mean, once for light and once for dark; then what every element looks like. What is `unscripted` is taken away by a script when that
 * is there, and seen where it has not come in time.
 */
export const BASE = `
:root {
  color-scheme: light dark;
  --paper: #f6f4ee; --surface: #fffdf8; --sunk: #eeebe2; --ink: #1c201d; --soft: #555b54; --line: #d9d4c6; --edge: #838274;
  --accent: #0b5345; --accent-ink: #ffffff; --accent-wash: #dcebe4; --spark: #c9781b; --focus: #a85f0c;
  --good: #14603f; --good-wash: #dceee2; --warn: #7d4a05; --warn-wash: #f8ead0; --bad: #98261b; --bad-wash: #f9e1dc;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", "Liberation Serif", Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", "Liberation Sans", Roboto, Helvetica, Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "Liberation Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101412; --surface: #171c19; --sunk: #0c0f0d; --ink: #e8ebe3; --soft: #a5aca0; --line: #2b322d; --edge: #737b72;
    --accent: #7ad7b9; --accent-ink: #06231b; --accent-wash: #16352b; --spark: #f2b35d; --focus: #f2b35d;
    --good: #86d9ac; --good-wash: #15321f; --warn: #f1bd6f; --warn-wash: #37290f; --bad: #f5a295; --bad-wash: #3b1a15;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--sans); min-height: 100vh; display: flex; flex-direction: column; }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.12; letter-spacing: -0.012em; text-wrap: balance; overflow-wrap: break-word; }
h1 { font-size: clamp(2rem, 1.5rem + 2vw, 2.75rem); margin: 0 0 0.75rem; }
h2 { font-size: 1.5rem; margin: 0 0 0.75rem; }
h3 { font-size: 1rem; margin: 0 0 0.25rem; line-height: 1.4; }
p { margin: 0 0 1rem; text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: 0.18em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
code, pre, .code { font-family: var(--mono); font-size: 0.875em; }
code { overflow-wrap: anywhere; }
pre { margin: 0; padding: 1rem; overflow: auto; background: var(--sunk); border: 1px solid var(--line); border-radius: 8px; line-height: 1.55; }
pre code { font-size: 0.8125rem; overflow-wrap: normal; }
ul, ol, dl, dd, figure { margin: 0; padding: 0; }
ul, ol { list-style: none; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.unseen, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: absolute; left: 1rem; top: 1rem; z-index: 9; background: var(--surface); padding: 0.5rem 1rem; }
.lead { font-size: 1.125rem; color: var(--soft); max-width: 38rem; }
.hint { font-size: 0.875rem; color: var(--soft); margin: 0; } .hint code { white-space: nowrap; }
.aside { font-weight: 400; color: var(--soft); }
.eyebrow { font: 500 0.8125rem/1.4 var(--mono); color: var(--accent); margin: 0 0 0.75rem; }
.number { font-variant-numeric: tabular-nums; text-align: right; }
.unscripted { animation: unscripted 3s step-end; }
@keyframes unscripted { from { position: absolute; visibility: hidden; } }
@media (scripting: none) { .unscripted { animation: none; } }
@media (prefers-reduced-motion: reduce) { :not(.unscripted), *::before { animation: none !important; transition: none !important; scroll-behavior: auto !important; } }
`;
