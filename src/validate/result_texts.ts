import type { ByteSink } from '../encode/byte_sink.ts';
import type { Validation } from './result.ts';
import { validationText } from './validation_text.ts';

/** Takes the texts of results, each once, in whatever order they come: it is opened, written to `sink` less its opening brace, and closed, at one go. */
export type ResultTexts = {
  readonly sink: ByteSink;
  open(index: number): void;
  close(index: number): void;
};

export function appendValidation(texts: ResultTexts, indexes: readonly number[], validation: Validation): void {
  const text = validationText(validation).slice(1);
  for (const index of indexes) {
    texts.open(index);
    texts.sink.text(text);
    texts.close(index);
  }
}
