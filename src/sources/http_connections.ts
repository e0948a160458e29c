import type { Socket } from 'node:net';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { LIMITS } from '../config/limits.ts';
import { wasReset } from './connect_errors.ts';
import { SourceFailure } from './source.ts';

/** Gives up after `connectMs`: the module's own timer looks at the clock every half second alone. */
function connector(connectMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: 0 }) as (...given: Parameters<buildConnector.connector>) => Socket;
  return (options, connected) => {
    const timer = setTimeout(() => socket.destroy(new SourceFailure('unreachable', 'it did not take the connection in time')), connectMs);
    const socket = connect(options, (...outcome) => {
      clearTimeout(timer);
      connected(...outcome);
    });
  };
}

type Asked = { readonly method: Dispatcher.HttpMethod; readonly headers: Readonly<Record<string, string>>; readonly body?: string; readonly signal: AbortSignal };

/** The connections to a server that is asked over HTTP. */
export class HttpConnections {
  readonly #made: () => Agent;
  #agent: Agent;
  /** What is still under way on those that were left. */
  readonly #left = new Set<Agent>();

  constructor(connectMs: number, connections: number) {
    this.#made = () => new Agent({ connections, connect: connector(connectMs), keepAliveTimeout: LIMITS.connectionIdleMs, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 });
    this.#agent = this.#made();
  }

  async request(url: URL, asked: Asked): Promise<Dispatcher.ResponseData> {
    const agent = this.#agent;
    try {
      return await request(url, { ...asked, dispatcher: agent });
    } catch (error) {
      if (wasReset(error)) this.#leave(agent);
      throw error;
    }
  }

  async destroy(): Promise<void> { await Promise.all([this.#agent, ...this.#left].map((agent) => agent.destroy())); }

  /** One that lay idle may have been cut without a word, as where its server's address leads to another by now: those that lie beside it are taken for dead, too. */
  #leave(agent: Agent): void {
    if (agent !== this.#agent) return;
    this.#agent = this.#made();
    this.#left.add(agent);
    agent.close().catch(() => {}).finally(() => this.#left.delete(agent));
  }
}
