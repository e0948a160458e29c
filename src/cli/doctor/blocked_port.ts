/** Of some ports, those of mail, chat and screens among them, browsers and `fetch` ask nothing, whoever listens there. `error` is what `fetch` threw. */
export function isBlockedPort(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port';
}

export const BLOCKED_PORT_REMEDY = 'browsers and Node.js refuse to call this port, whatever listens there: have it listen on another, such as 8080';
