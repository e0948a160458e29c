import { isJson, make, shown, type Json, type Reply } from './dom.ts';
import { leftOf, listOf, raw, refused, type Drawn } from './results.ts';

const TONE: Readonly<Record<string, string>> = { deliverable: 'good', pass: 'good', undeliverable: 'bad', fail: 'bad', skipped: '' };

/** What became of one address, stage by stage. */
export function validationReply(reply: Reply): Drawn {
  const { data } = reply.body;
  if (reply.status !== 200 || !isJson(data)) return refused(reply);
  const told = [badge(shown(data['status'])), ` ${shown(data['reason'])}, score ${shown(data['score'])}, ${Math.round(reply.ms)} ms to here`];
  return { told, below: [
    leftOf(reply),
    data['suggestion'] === null ? null : make('p', { class: 'notice warn' }, 'Did they mean ', make('bdi', {}, shown(data['suggestion'])), '?'),
    stageList(listOf(data['stages'])),
    raw(reply),
  ] };
}

function stageList(stages: readonly Json[]): HTMLElement {
  return make('ol', { class: 'stages', 'aria-label': 'Stages' }, ...stages.map((stage) =>
    make('li', {},
      make('strong', {}, shown(stage['name'])), badge(shown(stage['status'])), make('code', {}, shown(stage['code'])),
      make('span', { class: 'number' }, stage['status'] === 'skipped' ? '' : `${shown(stage['ms'])} ms`))));
}

function badge(status: string): HTMLElement {
  return make('span', { class: `badge ${TONE[status] ?? 'warn'}` }, status);
}
