export const DASHBOARD = `
.heading { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: flex-start; gap: 1rem; margin-bottom: 2rem; }
.heading h1 { margin-bottom: 0.25rem; } .heading .eyebrow { margin-bottom: 0.4rem; } .heading h1, .heading .hint { overflow-wrap: anywhere; }
.fresh { background: var(--accent-wash); border: 1px solid var(--accent); border-radius: 10px; padding: 1.25rem clamp(1rem, 3vw, 1.5rem); margin-bottom: 2rem; }
.fresh p { margin-bottom: 0.75rem; } .fresh > :last-child { margin: 0; }
.keyline { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; } .keyline code { flex: 0 1 auto; }
.keyline code { font-size: 0.875rem; background: var(--surface); border: 1px solid var(--line); padding: 0.45rem 0.75rem; border-radius: 7px; user-select: all; }
.gauges { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); gap: 1.25rem 2.5rem; margin-bottom: 2rem; }
.gauge dt { font-size: 0.9375rem; color: var(--soft); }
.gauge strong { display: block; font: 600 2rem/1.25 var(--serif); font-variant-numeric: tabular-nums lining-nums; }
meter { display: block; width: 100%; height: 0.5rem; margin-block: 0.35rem 0.3rem; border: 0; border-radius: 4px; background: var(--line); -webkit-appearance: none; appearance: none; }
meter::-webkit-meter-inner-element { display: block; height: 100%; }
meter::-webkit-meter-bar { position: static; background: var(--line); border: 0; border-radius: 4px; height: 0.5rem; }
meter::-webkit-meter-optimum-value { background: var(--accent); border-radius: 4px; }
meter::-webkit-meter-suboptimum-value { background: var(--accent); border-radius: 4px; }
meter::-webkit-meter-even-less-good-value { background: var(--bad); border-radius: 4px; }
meter::-moz-meter-bar { background: var(--accent); border-radius: 4px; }
.chart figcaption { font-size: 0.9375rem; margin-bottom: 0.75rem; }
.plot { display: grid; grid-template: 11rem auto / auto 1fr; gap: 0.3rem 0.75rem; font: 0.8125rem/1 var(--mono); color: var(--soft); }
.plot svg { width: 100%; height: 100%; }
.plot rect { fill: var(--accent); } .plot rect:hover { fill: var(--spark); }
.plot line { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.scale { display: flex; flex-direction: column; justify-content: space-between; text-align: right; margin-block: -0.4rem; }
.days { grid-column: 2; display: flex; justify-content: space-between; }
.chart details { margin: 0.25rem -0.5rem 0; padding: 0.5rem 0.5rem 0; max-width: 31rem; overflow-x: auto; }
.keys { border-top: 1px solid var(--line); margin-block: 1rem 1.5rem; }
.key { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.25rem 2rem; padding: 0.85rem 0; border-bottom: 1px solid var(--line); }
.key .what { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.2rem 0.75rem; min-width: 0; } .key strong { overflow-wrap: anywhere; }
.key.ended .what { color: var(--soft); }
.acts { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
@media (min-width: 48rem) { .acts { margin-left: auto; justify-content: flex-end; } }
.acts details[open] { flex: 1 0 100%; order: 1; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 0.75rem 1rem 1rem; margin-top: 0.5rem; min-width: min(22rem, 76vw); } .acts form { max-width: 24rem; }
.folds { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 2rem; align-items: start; border-top: 1px solid var(--line); padding-top: 0.75rem; }
.folds form { max-width: 24rem; padding-bottom: 1.5rem; } .folds form > .hint { margin-bottom: 0.9rem; }
.requests .error { white-space: nowrap; } .requests [data-label="key"] { overflow-wrap: anywhere; min-width: 6rem; }
@container (max-width: 58rem) {
  .requests, .requests tbody { display: block; }
  .requests thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .requests tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15rem 1rem; padding: 0.7rem 0.9rem; border-top: 1px solid var(--line); }
  .requests tbody tr:first-child { border: 0; }
  .requests td { border: 0; padding: 0; }
  .requests .when { order: 1; margin-left: auto; color: var(--soft); }
  .requests [data-label] { order: 2; } .requests [data-label]::before { content: attr(data-label) " "; color: var(--soft); }
  .requests .last { order: 2; margin-left: auto; }
  .requests tr::after { content: ""; order: 1; flex: 0 0 100%; }
}
.grave > summary { color: var(--bad); }
`;
