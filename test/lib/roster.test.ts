import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Roster } from '../../src/lib/roster.ts';

type Member = { readonly nth: number; rosterPlace: number };

const membersOf = (count: number): Member[] => Array.from({ length: count }, (_, nth) => ({ nth, rosterPlace: -1 }));
const numbersOf = (roster: Roster<Member>): number[] => [...roster].map(({ nth }) => nth).toSorted((a, b) => a - b);

test('a roster holds whoever came and has not left, once', () => {
  const roster = new Roster<Member>();
  const members = membersOf(10);
  for (const member of [...members, members[3]!]) roster.add(member);
  for (const nth of [9, 0, 4, 4]) roster.remove(members[nth]!);
  assert.deepEqual(numbersOf(roster), [1, 2, 3, 5, 6, 7, 8]);
  assert.deepEqual(members.filter(({ rosterPlace }) => rosterPlace === -1).map(({ nth }) => nth), [0, 4, 9]);
  roster.add(members[4]!);
  assert.deepEqual(numbersOf(roster), [1, 2, 3, 4, 5, 6, 7, 8]);
});

test('all are seen that stay, though others leave meanwhile', () => {
  for (let step = 1; step < 20; step += 1) {
    const roster = new Roster<Member>();
    const members = membersOf(20);
    for (const member of members) roster.add(member);
    const seen = new Set<number>();
    for (const { nth } of roster) {
      seen.add(nth);
      roster.remove(members[(nth + step) % 20]!);
      if (nth % 3 === 0) roster.remove(members[nth]!);
    }
    for (const nth of numbersOf(roster)) assert.ok(seen.has(nth), `${nth} of step ${step}`);
  }
});
