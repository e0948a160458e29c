import type { ForeignRequest } from '../pool/foreign_protocol.ts';
import type { ForeignScan } from '../pool/foreign_scan.ts';

/** Where the scans of sources that are no lakes begin. `scan` returns at once, whatever the source does. */
export interface ForeignScans {
  /** Of this gateway, among those that a search may pass through. */
  readonly gateway: string;
  scan(source: string, request: ForeignRequest): ForeignScan;
}
