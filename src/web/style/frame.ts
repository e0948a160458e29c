/** The header, the footer and the widths of pages. */
export const FRAME = `
.top, .bottom, main { width: 100%; max-width: 76rem; margin: 0 auto; padding-inline: clamp(1rem, 4vw, 2.5rem); }
.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.25rem 2rem; padding-block: 1rem; }
.brand { display: inline-flex; align-items: center; gap: 0.6rem; color: var(--ink); text-decoration: none; font: 600 1.125rem/1 var(--serif); padding-block: 0.5rem; }
.mark { flex: none; width: 1.75rem; height: 1.75rem; fill: none; stroke: var(--accent); stroke-width: 2; }
.mark circle { fill: var(--spark); stroke: none; }
.top ul { display: flex; flex-wrap: wrap; gap: 0 0.25rem; margin-inline: -0.6rem; }
.top li a { display: block; padding: 0.55rem 0.6rem; color: var(--ink); text-decoration: none; font-size: 0.9375rem; border-radius: 6px; }
.top li a:hover { text-decoration: underline; }
.top li a[aria-current] { box-shadow: inset 0 -2px var(--accent); border-radius: 0; }
@media (forced-colors: active) { .top li a[aria-current] { text-decoration: underline; text-underline-offset: 0.5em; } }
main { flex: 1; padding-block: clamp(1.5rem, 4vw, 3rem) 4rem; }
main > section { margin-block: 0 3rem; }
.narrow main { max-width: 33rem; }
.bottom { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 2rem; padding-block: 1.5rem 2rem; background: linear-gradient(var(--line), var(--line)) top / calc(100% - 2 * clamp(1rem, 4vw, 2.5rem)) 1px no-repeat; font-size: 0.875rem; color: var(--soft); }
.bottom p { margin: 0; }
.bottom ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: clamp(1rem, 3vw, 1.5rem); margin-block: 0 1.5rem; }
.card > :last-child { margin-bottom: 0; }
.empty { color: var(--soft); }
.notice { border-left: 3px solid var(--edge); background: var(--sunk); padding: 0.75rem 1rem; border-radius: 0 8px 8px 0; margin-block: 0 1.25rem; overflow-wrap: anywhere; }
.notice > :last-child { margin: 0; } .notice > p { margin: 0 0 0.25rem; }
.notice.good { border-color: var(--good); background: var(--good-wash); }
.notice.warn { border-color: var(--warn); background: var(--warn-wash); }
.notice.bad { border-color: var(--bad); background: var(--bad-wash); }
.badge { display: inline-block; font: 500 0.8125rem/1.5 var(--mono); padding: 0 0.5em; border-radius: 4px; background: var(--sunk); color: var(--soft); }
.badge.good { background: var(--good-wash); color: var(--good); }
.badge.warn { background: var(--warn-wash); color: var(--warn); }
.badge.bad { background: var(--bad-wash); color: var(--bad); }
.hint + :is(.scroll, .card, .notice, .fields, .snippet) { margin-top: 0.75rem; }
.scroll { container-type: inline-size; overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--surface); }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.5rem 0.75rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border: 0; font-weight: 500; color: var(--soft); white-space: nowrap; }
th.number, td.number { text-align: right; }
td time, td .id { white-space: nowrap; }
.snippet { margin-bottom: 1.25rem; min-width: 0; }
.snippet figcaption { display: flex; justify-content: space-between; align-items: center; gap: 1rem; font-size: 0.875rem; color: var(--soft); margin-bottom: 0.4rem; min-height: 2rem; }
.snippet figcaption button { flex: none; }
`;
