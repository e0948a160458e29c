import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { SmtpConnection } from './connection.ts';
import { SmtpFault, type Reply } from './reply.ts';

type Greeted = { readonly connection: SmtpConnection; readonly banner: Reply };

type Dialling = {
  readonly port: number;
  /** Of each address, for connecting; beside one that owes its first word by then the next is dialled. */
  readonly shareMs: number;
  /** On the monotonic clock. */
  readonly endsMs: number;
  readonly leaving: AbortSignal;
};

/** The addresses of one host in their order; the first with a word has it, and the connections to the others are closed. */
export function firstGreeting(addresses: readonly string[], dialling: Dialling): Promise<Greeted> {
  const open = new Set<SmtpConnection>();
  let greeted = false;

  const dial = async (address: string): Promise<Greeted> => {
    // That nobody took the connection is handed over while there is time.
    const connection = await SmtpConnection.open(address, dialling, Math.min(LIMITS.smtpConnectMs, Math.max(1, leftMs(dialling) - LIMITS.smtpReserveMs), dialling.shareMs));
    open.add(connection);
    try {
      if (greeted) throw new SmtpFault('closed');
      const banner = await firstWord(connection, Math.min(LIMITS.smtpStepMs, leftMs(dialling)));
      if (greeted) throw new SmtpFault('closed');
      greeted = true;
      open.delete(connection);
      for (const other of open) other.close();
      return { connection, banner };
    } finally {
      if (open.delete(connection)) connection.close();
    }
  };

  const inTurn = ([address, ...others]: readonly string[]): Promise<Greeted> => {
    if (address === undefined) return Promise.reject(new SmtpFault('connect'));
    const first = dial(address);
    if (others.length === 0) return first;
    const isNextDue = Promise.race([first.then(() => false, () => true), sleep(dialling.shareMs, true, { ref: false })]);
    const next = isNextDue.then((due) => (due && !greeted && monotonicMs() < dialling.endsMs ? inTurn(others) : first));
    return Promise.any([first, next]).catch((error: unknown) => { throw error instanceof AggregateError ? gravest(error.errors) : error; });
  };

  return inTurn(addresses);
}

async function firstWord(connection: SmtpConnection, waitMs: number): Promise<Reply> {
  try {
    return await connection.read(waitMs);
  } catch (error) {
    if (!(error instanceof SmtpFault)) throw error;
    if (error.kind === 'closed') throw new SmtpFault('connect');
    throw error.kind === 'timeout' && waitMs === LIMITS.smtpStepMs ? new SmtpFault('mute') : error;
  }
}

/** One that was mute for a whole step speaks for its host. Else an address for which there was not the time may be there all the same: of the host nothing is known then. */
function gravest(errors: readonly unknown[]): unknown {
  const faults = errors.filter((error) => error instanceof SmtpFault);
  if (faults.length < errors.length) return errors.find((error) => !(error instanceof SmtpFault));
  return faults.find(({ kind }) => kind === 'mute') ?? faults.find(({ kind }) => kind === 'hurried' || kind === 'timeout') ?? faults.at(-1);
}

function leftMs({ endsMs }: Dialling): number {
  return Math.max(1, endsMs - monotonicMs());
}
