/** How many calls without a key came from one network on a day; `name` stands for the network. */
export type PlaygroundCalls = { readonly day: number; readonly name: string; readonly calls: number };

/** The part of the store that counts callers without a key. What it keeps survives the process, not the machine. */
export interface PlaygroundStore {
  /** Never less than was kept before; forgets all earlier days, and of the latest what there is beyond `namesMax` names. */
  keepPlaygroundCalls(rows: readonly PlaygroundCalls[], namesMax: number): Promise<void>;
  /** By name. */
  playgroundCalls(day: number, page: { readonly afterName: string | null; readonly rowsMax: number }): Promise<PlaygroundCalls[]>;
}
