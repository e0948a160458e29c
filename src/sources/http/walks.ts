import { LIMITS } from '../../config/limits.ts';
import { compareText } from '../../lib/text_order.ts';

/** A key in the order of identity. */
export type KeyPlace = { readonly keyClass: number; readonly key: string };
export type Known = KeyPlace & { readonly cursor: string };

export function comparePlaces(a: KeyPlace, b: KeyPlace): number {
  return a.keyClass - b.keyClass || compareText(a.key, b.key);
}

/**
 * Where cursors of the other side stand, by search: a walk that comes back with its last key is taken up near it instead of from the start.
 * What is forgotten costs time and nothing else. The search that was least lately walked is forgotten first, of one search its oldest place.
 */
export class Walks {
  readonly #walks = new Map<string, Known[]>();
  #characters = 0;

  /** The last place known before a key; it never stands amid the rows of one key. */
  before(search: string, place: KeyPlace): Known | null {
    return (this.#walks.get(search) ?? []).reduce<Known | null>((best, known) => (
      comparePlaces(known, place) < 0 && (best === null || comparePlaces(known, best) > 0) ? known : best), null);
  }

  note(search: string, known: Known): void {
    const others = this.#walks.get(search)?.filter((one) => comparePlaces(one, known) !== 0) ?? [];
    const places = [...others, known].slice(-LIMITS.httpWalkPlacesMax);
    this.forget(search);
    this.#walks.set(search, places);
    this.#characters += charactersOf(search, places);
    while (this.#walks.size > LIMITS.httpWalksMax || this.#characters > LIMITS.httpWalkCharactersMax) this.forget(this.#walks.keys().next().value!);
  }

  forget(search: string): void {
    const places = this.#walks.get(search);
    if (places === undefined) return;
    this.#walks.delete(search);
    this.#characters -= charactersOf(search, places);
  }
}

function charactersOf(search: string, places: readonly Known[]): number {
  return places.reduce((sum, { key, cursor }) => sum + key.length + cursor.length, search.length);
}
