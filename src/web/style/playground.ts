export const PLAYGROUND = `
.bench { display: grid; gap: 1.5rem 2.5rem; margin-top: 2rem; }
.bench > * { min-width: 0; }
@media (min-width: 62rem) { .bench { grid-template-columns: minmax(20rem, 5fr) 7fr; align-items: start; } }
.got section + section { margin-top: 2.5rem; }
.got [aria-busy=true] { opacity: 0.5; }
.total { font-size: 1.0625rem; margin-bottom: 0.5rem; } .total:empty { margin: 0; } .total strong { font-size: 1.5rem; font-family: var(--serif); }
.sources { margin-block: 1rem; border-top: 1px solid var(--line); }
.sources li { display: grid; grid-template-columns: minmax(5rem, 1fr) auto minmax(5rem, 1.4fr) minmax(3rem, 2fr) 4.5rem; gap: 0.25rem 0.9rem; align-items: center; padding: 0.4rem 0; border-bottom: 1px solid var(--line); font-size: 0.9375rem; }
.sources .why { grid-column: 1 / -1; }
.sources strong { overflow-wrap: anywhere; } .sources meter { margin: 0; }
@media (max-width: 40rem) { .sources li { grid-template-columns: 1fr auto 4.5rem; } .sources .hint:not(.why), .sources meter { grid-row: 2; } .sources meter { grid-column: 2 / -1; } }
.stages { margin-block: 1rem; border-top: 1px solid var(--line); }
.stages li { display: grid; grid-template-columns: 5rem 6.5rem 1fr auto; gap: 0.15rem 0.75rem; padding: 0.4rem 0; border-bottom: 1px solid var(--line); align-items: baseline; font-size: 0.9375rem; }
.stages .badge { justify-self: start; }
@media (max-width: 30rem) { .stages li { grid-template-columns: 5rem 1fr auto; } .stages code { grid-area: 2 / 2 / auto / -1; } }
.raw { margin-top: 1rem; } .raw pre { max-height: 26rem; }
.rows { table-layout: fixed; } .rows th { white-space: normal; } .rows th:nth-child(3) { width: 34%; } .rows th:last-child { width: 17%; }
.rows .main, .rows .hint { display: block; overflow-wrap: anywhere; } .rows .main { font-weight: 500; }
@media (max-width: 16rem) { .sources li, .stages li { display: flex; flex-wrap: wrap; } }
@container (max-width: 32rem) {
  .rows, .rows tbody { display: block; }
  .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .rows tbody tr { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0.5rem 1rem; padding: 0.75rem; border-top: 1px solid var(--line); }
  .rows tbody tr:first-child { border: 0; }
  .rows td { border: 0; padding: 0; } .rows td:nth-child(even) { text-align: right; }
}
`;
