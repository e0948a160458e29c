import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { domainTerms, emailTerms, type SuppressionTerm } from '../../../src/model/suppression/term.ts';
import type { SuppressionChange } from '../../../src/store/suppression_store.ts';
import type { FreshStore } from './store_suite.ts';

const [jo] = emailTerms('jo@example.com')!;
const [al] = emailTerms('al@example.com')!;
const [acme] = domainTerms('acme.com')!;
const PAGE = { afterRevision: 0, rowsMax: 100 };

function plain({ kind, digest, value }: Pick<SuppressionTerm, 'kind' | 'digest' | 'value'>): unknown {
  return { kind, digest: Buffer.from(digest).toString('hex'), value };
}

function told({ kind, value, present }: SuppressionChange): unknown {
  return { kind, value, present };
}

/** What every store keeps to where it holds suppressions. */
export function suppressionSuite(name: string, fresh: FreshStore): void {
  describe(`suppressions in ${name}`, () => {
    test('are added once, listed in the order in which they came, and removed', async (t) => {
      const { store } = await fresh(t);
      assert.equal(await store.addSuppressions([jo!, acme!, jo!], 1_000), 2);
      assert.equal(await store.addSuppressions([acme!, al!], 2_000), 1);
      const all = await store.suppressions(null, PAGE);
      assert.deepEqual(all.map(plain), [jo!, acme!, al!].map(plain));
      assert.deepEqual(all.map(({ createdMs }) => createdMs), [1_000, 1_000, 2_000]);
      assert.deepEqual((await store.suppressions('domain', PAGE)).map(plain), [plain(acme!)]);
      assert.deepEqual((await store.suppressions(null, { afterRevision: all[0]!.revision, rowsMax: 1 })).map(plain), [plain(acme!)]);
      assert.deepEqual(await store.suppressionCounts(), { email: 2, domain: 1, linkedin_url: 0 });
      assert.equal(await store.removeSuppressions([acme!, acme!, domainTerms('other.com')![0]!]), 1);
      assert.deepEqual((await store.suppressions(null, PAGE)).map(plain), [jo!, al!].map(plain));
      assert.deepEqual(await store.suppressionCounts(), { email: 2, domain: 0, linkedin_url: 0 });
    });

    test('tell every later change, of whichever process, once and in order', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      await store.addSuppressions([jo!, acme!], 1_000);
      const first = await store.suppressionChanges(0, 100);
      assert.deepEqual(first.map(told), [{ kind: 'email', value: null, present: true }, { kind: 'domain', value: 'acme.com', present: true }]);
      assert.deepEqual(await store.suppressionChanges(first.at(-1)!.revision, 100), []);
      await other.removeSuppressions([acme!]);
      await other.addSuppressions([al!], 1_000);
      const changes = await store.suppressionChanges(first.at(-1)!.revision, 100);
      assert.deepEqual(changes.map(told), [{ kind: 'domain', value: 'acme.com', present: false }, { kind: 'email', value: null, present: true }]);
      await other.addSuppressions([acme!], 1_000);
      assert.deepEqual((await store.suppressionChanges(changes.at(-1)!.revision, 100)).map(told), [{ kind: 'domain', value: 'acme.com', present: true }]);
      assert.equal((await store.suppressionChanges(0, 2)).length, 2);
    });

    test('of two processes that add at once are all told to a third', async (t) => {
      const { store, again } = await fresh(t);
      const other = await again();
      const batches = Array.from({ length: 10 }, (_, batch) => Array.from({ length: 20 }, (_, at) => emailTerms(`${batch}.${at}@example.com`)![0]!));
      const seen: SuppressionChange[] = [];
      let adding = true;
      const following = (async () => {
        for (;;) {
          const last = !adding;
          const changes = await store.suppressionChanges(seen.at(-1)?.revision ?? 0, 7);
          seen.push(...changes);
          if (last && changes.length === 0) return;
          await new Promise((resume) => { setImmediate(resume); });
        }
      })();
      await Promise.all(batches.map((terms, batch) => (batch % 2 === 0 ? store : other).addSuppressions(terms, 1_000)));
      adding = false;
      await following;
      assert.equal(new Set(seen.map(({ digest }) => Buffer.from(digest).toString('hex'))).size, 200);
      assert.equal(seen.length, 200);
    });
  });
}
