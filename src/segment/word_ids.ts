import { words } from '../lib/fold.ts';
import { sortTexts } from '../lib/text_order.ts';

/** Numbers words as they are met; their places in the dictionary are known at the end. */
export class WordIds {
  readonly #ids = new Map<string, number>();

  /** Calls back with each word of a folded text, in order, repeats kept. */
  eachOf(folded: string, visit: (id: number) => void): void {
    for (const word of words(folded)) visit(this.#idOf(word));
  }

  /** The dictionary, and the place in it of each number. */
  sorted(): { readonly dictionary: string[]; readonly placeOf: Uint32Array } {
    const dictionary = sortTexts([...this.#ids.keys()]);
    const placeOf = new Uint32Array(dictionary.length);
    dictionary.forEach((word, place) => { placeOf[this.#ids.get(word)!] = place; });
    return { dictionary, placeOf };
  }

  #idOf(word: string): number {
    const known = this.#ids.get(word);
    if (known !== undefined) return known;
    this.#ids.set(word, this.#ids.size);
    return this.#ids.size - 1;
  }
}
