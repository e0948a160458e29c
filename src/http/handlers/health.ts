import type { Health } from '../../model/health.ts';
import type { Call } from '../call.ts';
import type { Phase } from '../gateway.ts';

export type HealthReport = { readonly phase: Phase; readonly version: string; readonly components: Readonly<Record<string, Health>> };

const DETAIL: Record<Phase, string> = { starting: 'loading its data', serving: 'serving', draining: 'shutting down' };

/** `GET /health`: 200 while it serves, whatever its parts do; 503 before and after. */
export function healthHandler(report: () => HealthReport): (call: Call) => void {
  return (call) => {
    const { phase, version, components } = report();
    const well = phase === 'serving' && Object.values(components).every(({ status }) => status === 'ok');
    const body = { status: well ? 'ok' : 'degraded', phase: DETAIL[phase], version, uptime_s: Math.floor(process.uptime()), components };
    call.answer({ status: phase === 'serving' ? 200 : 503, headers: phase === 'serving' ? [] : [['Retry-After', '1']], body: JSON.stringify(body) });
  };
}
