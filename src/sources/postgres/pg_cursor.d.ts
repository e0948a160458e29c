/** What of the package is used here; it brings no types of its own. */
declare module 'pg-cursor' {
  import type { Submittable, Connection } from 'pg';

  export default class Cursor<Row> implements Submittable {
    constructor(text: string, values: readonly unknown[], config: { readonly rowMode: 'array' });
    submit(connection: Connection): void;
    /** Empty once there are no more. */
    read(rows: number): Promise<Row[]>;
    close(): Promise<void>;
    /** What the server says in place of rows, also where none were asked for just then. */
    on(event: 'error', told: (error: Error) => void): this;
  }
}
