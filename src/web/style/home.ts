export const HOME = `
.hero { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr)); gap: 2rem 3.5rem; align-items: center; }
.hero h1 { font-size: clamp(2.6rem, 1.6rem + 4.2vw, 4.25rem); line-height: 1.02; letter-spacing: -0.022em; margin-bottom: 1.25rem; }
.hero .lead { font-size: 1.1875rem; }
.calls { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1.75rem 0 0; }
.lanes svg { width: 100%; height: auto; display: block; }
.lanes text { font: 500 14px var(--mono); fill: var(--ink); }
.lanes text.small { font-size: 13px; fill: var(--soft); }
.lanes .lane, .lanes .out { fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-dasharray: 7 5; animation: flow 1.6s linear infinite; }
.lanes .lane.late { stroke: var(--edge); stroke-dasharray: 2 7; animation: none; }
.lanes text.late { fill: var(--warn); }
.lanes .deadline { stroke: var(--spark); stroke-width: 1.5; }
.lanes .answer rect { fill: var(--surface); stroke: var(--line); stroke-width: 1.5; }
.lanes .meet { fill: var(--spark); }
@keyframes flow { to { stroke-dashoffset: -24; } }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); border-block: 1px solid var(--line); margin-bottom: 3.5rem; }
.facts div { padding: 1.1rem 0; display: flex; flex-direction: column-reverse; }
.facts dt { color: var(--soft); font-size: 0.9375rem; }
.facts dd { font: 600 1.75rem/1.2 var(--serif); font-variant-numeric: tabular-nums lining-nums; }
.promises ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 1.75rem 3rem; margin-top: 1.5rem; }
.promises li { border-top: 2px solid var(--ink); padding-top: 0.75rem; }
.promises p { color: var(--soft); margin: 0; }
.example .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 1.5rem; }
.example .snippet { display: flex; flex-direction: column; } .example pre { flex: 1; }
`;
