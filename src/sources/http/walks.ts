import { LIMITS } from '../../config/limits.ts';
import { compareText } from '../../lib/text_order.ts';

/** A key in the order of identity. */
export type KeyPlace = { readonly keyClass: number; readonly key: string };
/** `begun`: when the first of the answers was asked for that led to the cursor, each by the one before it; see `walk_phase`. */
export type Known = KeyPlace & { readonly cursor: string; readonly begun: number };

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

  /** The last place known before a key, of those that were begun no earlier than that; it never stands amid the rows of one key. */
  before(search: string, place: KeyPlace, begunMin: number): Known | null {
    return (this.#walks.get(search) ?? []).reduce<Known | null>((best, known) => (
      known.begun >= begunMin && comparePlaces(known, place) < 0 && (best === null || comparePlaces(known, best) > 0) ? known : best), null);
  }

  note(search: string, known: Known): void {
    const before = this.#walks.get(search) ?? [];
    // A walk that was begun later may not take the cursor of one that was begun before it.
    const latest = before.reduce((best, one) => (comparePlaces(one, known) === 0 && one.begun > best.begun ? one : best), known);
    const places = [...before.filter((one) => comparePlaces(one, known) !== 0), latest].slice(-LIMITS.httpWalkPlacesMax);
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
