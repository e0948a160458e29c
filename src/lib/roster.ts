/** Kept by the roster: where its member stands, -1 while it is on none. */
export interface Enrolled {
  rosterPlace: number;
}

/**
 * Who is under way, in no order; each knows its place. It never shrinks: what a set or a list leaves behind when it does is old memory that still points to young
 * members, and all that hangs on them is kept and copied until a full collection.
 */
export class Roster<Member extends Enrolled> {
  readonly #members: (Member | null)[] = [];
  #count = 0;

  add(member: Member): void {
    if (member.rosterPlace !== -1) return;
    member.rosterPlace = this.#count;
    this.#members[this.#count] = member;
    this.#count += 1;
  }

  remove(member: Member): void {
    const place = member.rosterPlace;
    if (place === -1) return;
    this.#count -= 1;
    const last = this.#members[this.#count]!;
    this.#members[this.#count] = null;
    if (last !== member) {
      this.#members[place] = last;
      last.rosterPlace = place;
    }
    member.rosterPlace = -1;
  }

  /** Backwards: where one leaves meanwhile, one that was seen takes its place, and may be seen again. */
  * [Symbol.iterator](): Generator<Member> {
    for (let at = this.#count - 1; at >= 0; at -= 1) {
      const member = this.#members[at] ?? null;
      if (member !== null) yield member;
    }
  }
}
