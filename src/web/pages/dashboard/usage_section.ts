import type { Gauge, Standing, Uncounted } from '../../../accounts/caps.ts';
import type { UsageDay } from '../../../accounts/usage_days.ts';
import { LIMITS } from '../../../config/limits.ts';
import { isoDay } from '../../../lib/day.ts';
import { html, type Html } from '../../html.ts';
import { count } from '../../parts/figures.ts';
import { usageChart, type Bar } from './usage_chart.ts';

export function usageSection({ daily, burst, umbrella }: Standing, days: readonly UsageDay[], today: number): Html {
  return html`<section aria-labelledby="usage">
    <h2 id="usage">Usage</h2>
    <dl class="gauges">
      ${gauge('Units left today', daily, 'back at 00:00 UTC')}
      ${gauge('Requests left this minute', burst, 'in any 60 s')}
      ${gauge('Places free at once', umbrella, 'over all keys')}
    </dl>
    ${usageChart(barsOf(days, today))}
  </section>`;
}

function gauge(label: string, { limit, used, remaining }: Gauge | Uncounted, when: string): Html {
  if (limit === null || remaining === null) {
    return html`<div class="gauge"><dt>${label}</dt><dd><strong>no cap</strong>${used !== null && html`<span class="hint">${count(used)} used</span>`}</dd></div>`;
  }
  return html`<div class="gauge"><dt>${label}</dt><dd><strong>${count(remaining)}</strong>
    <meter min="0" max="${limit}" low="${limit / 10}" optimum="${limit}" value="${remaining}" aria-label="${label}">${count(remaining)} of ${count(limit)}</meter>
    <span class="hint">of ${count(limit)}, ${when}</span></dd></div>`;
}

/** One for every day that is shown, the ones without use too. */
function barsOf(days: readonly UsageDay[], today: number): Bar[] {
  const known = new Map(days.map((one) => [one.day, one]));
  return Array.from({ length: LIMITS.usageDaysShown }, (_, at) => {
    const day = isoDay(today - LIMITS.usageDaysShown + 1 + at);
    const { units = 0, requests = 0 } = known.get(day) ?? {};
    return { day, units, requests };
  });
}
