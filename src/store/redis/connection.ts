import { Redis } from 'ioredis';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import type { Script } from './scripts.ts';

/** A reply of a script: whole numbers. */
export type Reply = readonly number[];
type Send = (script: string, args: readonly (string | number)[]) => Promise<Reply>;

const PROBE_KEY = 'lds:probe';
const PROBE: Script = { numberOfKeys: 1, lua: "redis.call('SET', KEYS[1], 1, 'PX', 1000) return {1}" };

/**
 * One connection, and whether it may be relied on. An answer that is late or an error closes the way for everybody: no caller's
 * time is spent on finding out. A probe is sent every so often, in good times and bad, and opens the way when it is answered in
 * time; a connection that was lost or fell silent is made anew in the background, for ever.
 */
export class RedisConnection {
  readonly #redis: Redis;
  readonly #send: Send;
  readonly #replyMs: number;
  readonly #onChange: (reachable: boolean, error: unknown) => void;
  readonly #probing: NodeJS.Timeout;
  /** Null: nobody knows yet. */
  #reachable: boolean | null = null;
  #epoch = 0;
  #probe: Promise<void> | null = null;
  #lastError: unknown = null;
  #leftMs = -Infinity;

  constructor(
    url: string, scripts: Readonly<Record<string, Script>>,
    { replyMs = LIMITS.sharedReplyMs, onChange }: { readonly replyMs?: number; readonly onChange: (reachable: boolean, error: unknown) => void },
  ) {
    this.#replyMs = replyMs;
    this.#onChange = onChange;
    this.#redis = new Redis(url, {
      enableOfflineQueue: false, maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false,
      connectTimeout: LIMITS.redisConnectMs, socketTimeout: LIMITS.redisSilenceMs,
      retryStrategy: (tries) => Math.min(LIMITS.redisReconnectMsMax, 50 * tries),
      connectionName: 'lead-data-service',
    });
    for (const [name, script] of Object.entries({ ...scripts, probe: PROBE })) this.#redis.defineCommand(name, script);
    const commands = this.#redis as unknown as Readonly<Record<string, (...args: readonly (string | number)[]) => Promise<Reply>>>;
    this.#send = (script, args) => commands[script]!(...args);
    this.#redis.on('error', (error: unknown) => { this.#lastError = error; });
    this.#redis.on('close', () => this.#failed(this.#lastError ?? new Error('Redis closed the connection')));
    this.#redis.on('ready', () => {
      this.#lastError = null;
      this.#look();
    });
    this.#probing = setInterval(() => this.#look(), LIMITS.sharedProbeMs);
    this.#probing.unref();
  }

  get reachable(): boolean { return this.#reachable === true; }
  get epoch(): number { return this.#epoch; }

  /** Resolves as soon as it is known whether the server answers. */
  async opened(): Promise<void> {
    if (this.#redis.status !== 'ready') {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LIMITS.redisConnectMs);
        for (const event of ['ready', 'close']) this.#redis.once(event, () => { clearTimeout(timer); resolve(); });
      });
    }
    await this.#probe;
    if (this.#reachable === null) this.#failed(this.#lastError ?? new Error(`Redis cannot be connected to within ${LIMITS.redisConnectMs} ms`));
  }

  /** Null where it cannot be reached or does not answer in time; then `onLate` gets what may come after all. */
  ask(script: string, args: readonly (string | number)[], onLate: (reply: Reply) => void = () => {}): Promise<Reply | null> {
    return this.#inTime(this.#send(script, args), onLate);
  }

  /** Without waiting. `onLost`: it may not have been heard. */
  tell(script: string, args: readonly (string | number)[], onLost: () => void = () => {}): void {
    if (this.#redis.status !== 'ready') return onLost();
    this.#send(script, args).catch((error: unknown) => {
      this.#failed(error);
      onLost();
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#probing);
    this.#redis.removeAllListeners('close');
    await within(this.#redis.quit().catch(() => {}), LIMITS.sharedReplyMs);
    this.#redis.disconnect();
  }

  #look(): void {
    if (this.#probe !== null || this.#redis.status !== 'ready') return;
    this.#probe = this.#try().finally(() => { this.#probe = null; });
  }

  /** Writes, since a server may read and refuse to write, and by a script as well, since it may refuse those alone. */
  async #try(): Promise<void> {
    const written = Promise.all([selectDatabase(this.#redis), this.#redis.set(PROBE_KEY, 1, 'PX', 1_000), this.#send('probe', [PROBE_KEY])]);
    written.catch((error: unknown) => this.#leaveReplica(error));
    const answer = await this.#inTime(written, () => {});
    if (answer === null || this.#reachable === true) return;
    this.#reachable = true;
    this.#epoch += 1;
    this.#onChange(true, null);
  }

  #inTime<T>(coming: Promise<T>, onLate: (answer: T) => void): Promise<T | null> {
    return new Promise((resolve) => {
      let waiting = true;
      const end = (answer: T | null): void => {
        waiting = false;
        clearTimeout(timer);
        resolve(answer);
      };
      const took = (answer: T): void => (waiting ? end(answer) : onLate(answer));
      const failed = (error: unknown): void => {
        if (!waiting) return;
        this.#failed(error);
        end(null);
      };
      // A loop that was held up sees its timers before its sockets: what has come by then is read first.
      const timer = setTimeout(() => setImmediate(failed, new Error(`Redis did not answer within ${this.#replyMs} ms`)), this.#replyMs);
      coming.then(took, failed);
    });
  }

  /** After a failover the address leads to another server, and who stays with the old one, which lives on as a replica, never hears of it. */
  #leaveReplica(error: unknown): void {
    if (!(error instanceof Error && error.message.startsWith('READONLY')) || monotonicMs() - this.#leftMs < LIMITS.redisReconnectMsMax) return;
    this.#leftMs = monotonicMs();
    this.#redis.disconnect(true);
  }

  #failed(error: unknown): void {
    if (this.#reachable === false) return;
    this.#reachable = false;
    this.#onChange(false, told(error));
  }
}

/** A number that the server does not have leaves the client on the first database, which may be another installation's. Whoever names none may be refused to choose. */
export async function selectDatabase(redis: Redis): Promise<void> {
  const { db = 0 } = redis.options;
  if (db !== 0) await redis.select(db);
}

/** The errors of the client carry the command they answer, and with the first one of a connection the password. */
function told(error: unknown): unknown {
  return error instanceof Error ? new Error(error.message) : error;
}
