import { LIMITS } from '../config/limits.ts';
import { Places } from '../lib/places.ts';

type Visit = { asking: number; readonly begun: Promise<void>; readonly end: () => void };

/** So many mail hosts at once for a call. A machine has one place for all its domains, under whatever names: however many wait behind each other there, they keep nobody from another one. */
export class HostPlaces {
  readonly #places = new Places(LIMITS.smtpHostsAtOnceMax);
  readonly #visits = new Map<string, Visit>();

  async within(machine: string, work: () => Promise<void>): Promise<void> {
    const visit = this.#visits.get(machine) ?? this.#begin(machine);
    visit.asking += 1;
    await visit.begun;
    try {
      await work();
    } finally {
      visit.asking -= 1;
      if (visit.asking === 0) {
        this.#visits.delete(machine);
        visit.end();
      }
    }
  }

  #begin(machine: string): Visit {
    let begin = (): void => {};
    let end = (): void => {};
    const begun = new Promise<void>((resolve) => { begin = resolve; });
    const ended = new Promise<void>((resolve) => { end = resolve; });
    const visit: Visit = { asking: 0, begun, end };
    this.#visits.set(machine, visit);
    void this.#places.within(() => {
      begin();
      return ended;
    });
    return visit;
  }
}
