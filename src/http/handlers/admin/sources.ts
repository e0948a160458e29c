import type { SourceDesk } from '../../../find/source_desk.ts';
import type { Call } from '../../call.ts';
import { nothingThere } from './form.ts';

/** The sources as the operator sees them, and the way to have one looked at anew. */
export function sourceHandlers(desk: SourceDesk) {
  return {
    list: (call: Call) => call.answerJson({ sources: desk.list() }),
    reload: async (call: Call) => {
      const source = await desk.reload(call.parameters.get('name')!);
      if (source === null) throw nothingThere('source');
      call.answerJson(source);
    },
  };
}
