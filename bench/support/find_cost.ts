import type { Service } from './lake.ts';
import { cpuSeconds } from './usage.ts';
import { load } from './wrk.ts';

const CONNECTIONS = 64;

/** A service in some state, and the script of its load. */
export type Standing<State extends string> = { readonly state: State; readonly service: Service; readonly script: string };
export type FindCost = { readonly cpuUs: number; readonly requestsPerSecond: number };

/** Each has each place in turn. */
export function costsInTurn<State extends string>(standing: readonly Standing<State>[], round: number, seconds: number): Map<State, FindCost> {
  const at = round % standing.length;
  return new Map([...standing.slice(at), ...standing.slice(0, at)].map((one) => [one.state, findCost(one, seconds)]));
}

/** Processor time of the service alone: the load's own is the same on all sides, and would hide what differs. */
export function findCost({ service, script }: Omit<Standing<string>, 'state'>, seconds: number): FindCost {
  const before = cpuSeconds(service.pid);
  const { requestsPerSecond } = load({ url: service.find, pid: service.pid, connections: CONNECTIONS, seconds, script });
  return { cpuUs: ((cpuSeconds(service.pid) - before) * 1e6) / (requestsPerSecond * seconds), requestsPerSecond };
}
