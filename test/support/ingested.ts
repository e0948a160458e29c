import { ingestFiles, type IngestOrder, type IngestSummary } from '../../src/ingest/ingest.ts';

/** As `lds ingest` orders it for contacts, but for what `more` says. */
export function ingestOrder(dataDir: string, source: string, files: readonly string[], more: Partial<IngestOrder> = {}): IngestOrder {
  return {
    files, dataDir, dataset: 'contacts', source, mode: 'upsert', overrides: [], extras: [], rowForm: null, encoding: null, escape: null,
    signal: new AbortController().signal, stage: (_name, _extent, work) => work(() => undefined), onPlans: () => undefined, ...more,
  };
}

/** Without a process for it. */
export function ingest(dataDir: string, source: string, file: string, more: Partial<IngestOrder> = {}): Promise<IngestSummary> {
  return ingestFiles(ingestOrder(dataDir, source, [file], more));
}
