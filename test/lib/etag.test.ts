import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesEtag } from '../../src/lib/etag.ts';

test('a tag is known by any member of the list, however strongly it is meant, and by a star', () => {
  for (const known of ['"a"', 'W/"a"', '"b", W/"a"', ' "a" ,"b"', '*', ' * ']) for (const tag of ['"a"', 'W/"a"']) assert.ok(namesEtag(known, tag), known);
  for (const other of [undefined, '', 'a', '"b"', '"ab"', '"*"', 'w/"a"']) assert.ok(!namesEtag(other, '"a"'), other);
});
