import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { knownFacetKey } from '../../src/federation/facet_keys.ts';
import { facetKey } from '../../src/model/compare.ts';

it('what a value is compared as is the same whether it is remembered or not, for each way to compare', () => {
  const texts = ['São Paulo', 'SÃO PAULO', ' münchen.de ', 'Zoë@Exämple.org', '東京', 'Bonn', `Ö${'x'.repeat(LIMITS.knownTextCharactersMax)}`];
  for (let round = 0; round < 2; round += 1) {
    for (const compares of ['folded', 'lower', 'domain', 'email', 'country'] as const) {
      for (const text of texts) assert.equal(knownFacetKey(compares, text), facetKey(compares, text));
    }
  }
});

it('more values than are remembered are told all the same', () => {
  const texts = Array.from({ length: LIMITS.facetKeysKnownMax + 10 }, (_, at) => `Ö${at}`);
  for (const text of [...texts, ...texts.slice(0, 20)]) assert.equal(knownFacetKey('folded', text), `o${text.slice(1)}`);
});
