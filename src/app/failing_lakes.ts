import { lakeKeyOf } from '../plan/lake_sources.ts';

/** Lakes of which a scan failed lately: of a lost disk, or a file that was cut under the service, one call after the other fails. */
export class FailingLakes {
  readonly #forMs: number;
  readonly #onChange: (failing: ReadonlySet<string>) => void;
  readonly #ends = new Map<string, NodeJS.Timeout>();

  /** `onChange` is told which they are, by their keys; each is one for so long after its last failure. */
  constructor(forMs: number, onChange: (failing: ReadonlySet<string>) => void) {
    this.#forMs = forMs;
    this.#onChange = onChange;
  }

  failed(mount: string): void {
    const lake = lakeKeyOf(mount);
    const end = this.#ends.get(lake);
    if (end !== undefined) {
      end.refresh();
      return;
    }
    this.#ends.set(lake, setTimeout(() => {
      this.#ends.delete(lake);
      this.#tell();
    }, this.#forMs).unref());
    this.#tell();
  }

  close(): void {
    for (const end of this.#ends.values()) clearTimeout(end);
    this.#ends.clear();
  }

  #tell(): void {
    this.#onChange(new Set(this.#ends.keys()));
  }
}
