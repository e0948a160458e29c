import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Documented } from './documented.ts';
import { adminRules } from './sections/admin.ts';
import { answerRules } from './sections/answers.ts';
import { descriptionRules } from './sections/descriptions.ts';
import { generalRules } from './sections/general.ts';
import { playgroundRules } from './sections/playground.ts';
import { requestRules } from './sections/requests.ts';
import { KINDS } from '../support/http_kinds.ts';
import { RunningService } from './service.ts';

for (const http of KINDS) {
  describe(`the service through ${http}, over the demonstration lake`, () => {
    let service: RunningService;
    before(async () => {
      service = await RunningService.overDemo({ LDS_HTTP: http, LDS_CORS_ORIGINS: 'https://app.example' });
      service.documented = new Documented((await service.call('GET', '/openapi.json', { key: null })).json);
    }, { timeout: 300_000 });
    after(() => service.stop());
    generalRules(() => service);
    requestRules(() => service);
    answerRules(() => service);
    descriptionRules(() => service);
    adminRules(() => service);
    playgroundRules(() => service);
    it('has said nothing that its description does not name', () => { assert.ok(service.documented!.kinds >= 40, `${service.documented!.kinds} kinds of answers`); });
  });
}
