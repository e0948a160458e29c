import { html, type Html } from '../html.ts';

const LANES = [
  { name: 'crm', told: '1.8 ms', ok: true },
  { name: 'warehouse', told: '11 ms', ok: true },
  { name: 'registry', told: '6 ms', ok: true },
  { name: 'partner', told: 'too late', ok: false },
] as const;

const LANE_HEIGHT = 62;
const MEET_X = 306;
const MEET_Y = 145;

/** What the service does, as a picture: sources answer side by side, one is late, and the answer leaves on time and says so. */
export function lanes(): Html {
  return html`<figure class="lanes">
    <svg viewBox="0 0 480 290" role="img" aria-label="Four sources are searched at once. Three answer, one is too late: the answer leaves on time with the rows of the three and a warning that names the fourth." focusable="false">
      <line class="deadline" x1="${MEET_X}" x2="${MEET_X}" y1="8" y2="262"/><text class="small" x="${MEET_X}" y="280" text-anchor="middle">deadline</text>
      ${LANES.map(lane)}
      <path class="out" d="M${MEET_X} ${MEET_Y}H340"/>
      <g class="answer"><rect x="340" y="97" width="138" height="96" rx="8"/>
        <text x="354" y="123">200 · 25 rows</text><text class="small" x="354" y="147">partial: true</text><text class="small late" x="354" y="169">partner: late</text></g>
      <circle class="meet" cx="${MEET_X}" cy="${MEET_Y}" r="6"/>
    </svg>
  </figure>`;
}

function lane({ name, told, ok }: (typeof LANES)[number], at: number): Html {
  const y = 52 + at * LANE_HEIGHT;
  const path = ok ? `M8 ${y}H164C236 ${y} 226 ${MEET_Y} ${MEET_X} ${MEET_Y}` : `M8 ${y}H262`;
  return html`<path class="${ok ? 'lane' : 'lane late'}" d="${path}"/>
    <text x="8" y="${y - 12}">${name}</text><text class="small${!ok && ' late'}" x="170" y="${y - 12}" text-anchor="end">${told}</text>`;
}
