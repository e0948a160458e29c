import { html, type Html } from '../../html.ts';
import { count } from '../../parts/figures.ts';

export type Bar = { readonly day: string; readonly units: number; readonly requests: number };

const HEIGHT = 100;
/** So that a day with little use is seen beside one with much. */
const BAR_HEIGHT_MIN = 1.5;

/** Units by day: bars for the eye, one sentence for a screen reader, and a table for whoever wants the numbers. */
export function usageChart(bars: readonly Bar[]): Html {
  const total = bars.reduce((sum, { units }) => sum + units, 0);
  const most = bars.reduce((best, bar) => (bar.units > best.units ? bar : best), bars[0]!);
  const top = niceTop(most.units);
  const used = bars.some(({ requests }) => requests > 0);
  const summary = total === 0
    ? `No units in the last ${bars.length} days.`
    : `${count(total)} units in the last ${bars.length} days, the most on ${most.day}: ${count(most.units)}.`;
  return html`<figure class="chart">
    <figcaption id="usage-summary">${summary}</figcaption>
    ${used && plot(bars, top)}
    ${used && html`<details><summary>As a table</summary>${table(bars)}</details>`}
  </figure>`;
}

function plot(bars: readonly Bar[], top: number): Html {
  return html`<div class="plot">
      <div class="scale" aria-hidden="true"><span>${count(top)}</span><span>${count(top / 2)}</span><span>0</span></div>
      <svg viewBox="0 0 ${bars.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="usage-summary" focusable="false">
        ${[0, HEIGHT / 2, HEIGHT].map((y) => html`<line x1="0" x2="${bars.length}" y1="${y}" y2="${y}"/>`)}
        ${bars.map((bar, at) => drawn(bar, at, top))}
      </svg>
      <div class="days" aria-hidden="true"><span>${bars[0]!.day}</span><span>today</span></div>
    </div>`;
}

function drawn({ day, units, requests }: Bar, at: number, top: number): Html | null {
  if (units === 0 && requests === 0) return null;
  const height = Math.max(BAR_HEIGHT_MIN, (units / top) * HEIGHT);
  return html`<rect x="${at + 0.14}" y="${(HEIGHT - height).toFixed(2)}" width="0.72" height="${height.toFixed(2)}"><title>${day}: ${count(units)} units, ${count(requests)} requests</title></rect>`;
}

function table(bars: readonly Bar[]): Html {
  const used = bars.filter(({ requests }) => requests > 0).reverse();
  return html`<table><thead><tr><th scope="col">Day</th><th scope="col" class="number">Units</th><th scope="col" class="number">Requests</th></tr></thead>
    <tbody>${used.map(({ day, units, requests }) => html`<tr><td>${day}</td><td class="number">${count(units)}</td><td class="number">${count(requests)}</td></tr>`)}</tbody></table>`;
}

/** The next of 2, 4, 10, 20, 40, 100 ...: its half is whole too. */
function niceTop(units: number): number {
  for (let power = 1; ; power *= 10) for (const step of [2, 4, 10]) if (units <= step * power) return step * power;
}
