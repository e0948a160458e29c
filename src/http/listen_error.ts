/** The server cannot be had as it was asked for; the message says which setting to change. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}
