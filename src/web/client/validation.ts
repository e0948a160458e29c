import { isJson, make, shown, type Child, type Json, type Reply } from './dom.ts';
import { leftOf, listOf, raw, refusal } from './results.ts';

const TONE: Readonly<Record<string, string>> = { deliverable: 'good', pass: 'good', undeliverable: 'bad', fail: 'bad', skipped: '' };

/** What became of one address, stage by stage. */
export function validationReply(reply: Reply): readonly Child[] {
  const { data } = reply.body;
  if (reply.status !== 200 || !isJson(data)) return [refusal(reply)];
  return [
    make('p', { class: 'total', role: 'status' }, badge(shown(data['status'])), ` ${shown(data['reason'])}, score ${shown(data['score'])}, ${Math.round(reply.ms)} ms to here`),
    leftOf(reply),
    data['suggestion'] === null ? null : make('p', { class: 'notice warn' }, `Did they mean ${shown(data['suggestion'])}?`),
    stageList(listOf(data['stages'])),
    raw(reply),
  ];
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
