/**
 * Ends a thread whose work is done; what it posted still arrives. One that merely comes to its end waits until nothing is compiled beside it,
 * and what compiles may wait for it to collect garbage: then both wait for ever (https://github.com/nodejs/node/issues/54918).
 */
export function endThread(): never {
  process.exit(0);
}
