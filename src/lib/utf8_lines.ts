/** Bytes as text, no letter of it lost: what is not UTF-8 is thrown as `refused` tells it. */
export async function* utf8Texts(stream: AsyncIterable<string | Buffer>, refused: (cause: unknown) => Error): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (bytes?: Buffer): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (error) {
      throw refused(error);
    }
  };
  for await (const chunk of stream) yield typeof chunk === 'string' ? chunk : decoded(chunk);
  yield decoded();
}

/** What stands between line ends, of which CR and LF are each one: blank lines too, and the last one, which has none. One that grows longer than `most` allows is thrown as it tells. */
export async function* linesIn(pieces: AsyncIterable<string>, most?: { readonly characters: number; readonly tooLong: () => Error }): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const found = (rest + piece).split(/[\r\n]/);
    rest = found.pop()!;
    if (most !== undefined && rest.length > most.characters) throw most.tooLong();
    yield* found;
  }
  yield rest;
}
