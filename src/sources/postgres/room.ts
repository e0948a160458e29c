import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.ts';
import { connectionsLeft, isLentInTurn, PROCESS, type Granter } from '../../lib/postgres_room.ts';
import { connectingOf } from '../connecting.ts';
import { SourceFailure, type ForeignConfig } from '../source.ts';
import { Connections } from './connect.ts';

export type PostgresConfig = Extract<ForeignConfig, { readonly kind: 'postgres' }>;

/** What grants the fewest connections, and how many of them are left. */
export type Room = { readonly granter: Granter; readonly left: number };

/** Beside sessions of this service, which whoever asks may have. */
const LEFT = connectionsLeft("(a.usesysid, a.application_name) IS DISTINCT FROM (role, current_setting('application_name'))");

/** For the connections of one gateway. One that was closed just now has its place there for a moment yet, which may be the last. */
export async function roomFor(config: PostgresConfig, signal: AbortSignal): Promise<Room> {
  for (;;) {
    try {
      return await roomNow(config, signal);
    } catch (error) {
      if (!(error instanceof SourceFailure) || error.code !== 'overloaded' || signal.aborted) throw error;
      await sleep(LIMITS.retryMsMax);
    }
  }
}

async function roomNow(config: PostgresConfig, signal: AbortSignal): Promise<Room> {
  const connections = new Connections(connectingOf(config));
  try {
    const [[granter, left]] = await connections.all({ text: LEFT, values: [] }, 1, 'short', signal) as [[Granter, number]];
    return { granter, left: Math.max(0, left) };
  } finally {
    await connections.close();
  }
}

/** Whether a pooler stands before the server that does not give each connection a session of its own. */
export async function lendsInTurn(config: PostgresConfig, signal: AbortSignal): Promise<boolean> {
  const both = [new Connections(connectingOf(config)), new Connections(connectingOf(config))];
  const [first, second] = both.map((connections) => async () => {
    const [[process]] = await connections.all({ text: PROCESS, values: [] }, 1, 'short', signal) as [[number]];
    return process;
  });
  try {
    return await isLentInTurn(first!, second!);
  } finally {
    await Promise.all(both.map((connections) => connections.close()));
  }
}
