import { freePort } from '../../test/support/ports.ts';
import { join } from 'node:path';
import type { PeerName } from '../peers/peer.ts';
import { startScript, type Running } from './processes.ts';

const SERVERS = join(import.meta.dirname, '../servers');

export type PostTarget = Running & { readonly find: string };

/** A server of this project's benches on a port of its own; its arguments follow the port. */
export async function startServer(name: string, args: readonly string[]): Promise<PostTarget> {
  const port = await freePort();
  const running = await startScript(join(SERVERS, `${name}.js`), [String(port), ...args], {}, `http://127.0.0.1:${port}/`);
  return { ...running, find: `http://127.0.0.1:${port}/v1/find` };
}

export const startBare = (bytes: number): Promise<PostTarget> => startServer('bare', [String(bytes)]);
export const startFastify = (bytes: number): Promise<PostTarget> => startServer('fastify', [String(bytes)]);
export const startPeer = (name: PeerName, table: string, folder: string): Promise<PostTarget> => startServer('peer', [name, table, folder]);
/** Over the very rows that the service reads. */
export const startRoundTrip = (bytes: number, pageRows: number, files: readonly string[]): Promise<PostTarget> => startServer('round_trip', [String(bytes), String(pageRows), ...files]);
