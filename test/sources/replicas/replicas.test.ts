import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { openReplicas } from '../../../src/sources/replicas/open.ts';
import { Tallies } from '../../../src/sources/replicas/tallies.ts';
import { SourceFailure, type Count, type FailureCode, type ForeignSource, type FoundRow, type RowsRequest } from '../../../src/sources/source.ts';
import { until } from '../../support/until.ts';
import { failsAs } from '../fails_as.ts';

const ALL: RowsRequest = { filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: null };
const rowOf = (name: string): FoundRow => ({ json: `{"id":"${name}"}`, phase: 0, key: name, keyClass: 0, sure: true });

type Mood = 'answers' | 'hangs' | FailureCode;

/** A server that does as it is told, and remembers what it was asked. */
class Server implements ForeignSource {
  mood: Mood;
  asked = 0;
  stopped = 0;
  readonly #name: string;
  readonly #started: boolean;

  constructor(name: string, mood: Mood, started = false) {
    this.#name = name;
    this.mood = mood;
    this.#started = started;
  }

  async #act(signal: AbortSignal): Promise<void> {
    this.asked += 1;
    if (this.mood === 'answers') return;
    if (this.mood !== 'hangs') throw new SourceFailure(this.mood, this.#name, this.#started);
    await new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        this.stopped += 1;
        reject(new SourceFailure('broken', 'stopped'));
      });
    });
  }

  async describe(signal: AbortSignal) {
    await this.#act(signal);
    return { fields: [], filters: {}, trouble: null };
  }

  async figures(signal: AbortSignal) {
    await this.#act(signal);
    return { rows: 1, updatedAt: null, fill: {}, countries: {} };
  }

  async *rows(request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
    request.dropped?.(1);
    if (this.mood !== 'answers') request.incomplete?.();
    await this.#act(signal);
    yield [rowOf(this.#name)];
    yield [rowOf(this.#name)];
  }

  async count(_: unknown, signal: AbortSignal): Promise<Count> {
    await this.#act(signal);
    return { sure: 2, unsure: [] };
  }

  async facet() { return null; }
  async close() {}
}

async function read(source: ForeignSource, signal: AbortSignal = new AbortController().signal): Promise<{ rows: string[]; dropped: number }> {
  const rows: string[] = [];
  let dropped = 0;
  const incomplete = (): void => assert.fail('what is missing elsewhere is told');
  for await (const batch of source.rows({ ...ALL, dropped: (count) => { dropped += count; }, incomplete }, signal)) rows.push(...batch.map(({ key }) => key));
  return { rows, dropped };
}


describe('a source on several servers', () => {
  it('is described by the first that answers, and another that hangs is let go at its deadline and counts as gone', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const [quick, hanging] = [new Server('a', 'answers'), new Server('b', 'hangs')];
    const source = openReplicas([quick, hanging], new Tallies());
    assert.equal((await source.describe(new AbortController().signal)).trouble, null);
    t.mock.timers.tick(LIMITS.describeMs);
    assert.equal(hanging.stopped, 1);
    await Promise.resolve();
    assert.match((await source.describe(new AbortController().signal)).trouble!, /^1 of its 2 servers/);
    await source.close();
  });

  it('tells at the first look of a server that is not there though nobody needs it, but of one without room only after several', async () => {
    for (const [mood, looks] of [['unreachable', 1], ['refused', 1], ['overloaded', LIMITS.breakerFailures]] as const) {
      const source = openReplicas([new Server('a', 'answers'), new Server('b', mood)], new Tallies());
      const told: (string | null)[] = [];
      for (let look = 0; look <= looks; look += 1) told.push((await source.describe(new AbortController().signal)).trouble);
      assert.equal(told[looks], '1 of its 2 servers do not answer', mood);
      assert.ok(told.slice(0, looks - 1).every((trouble) => trouble === null), mood);
      await source.close();
    }
  });

  it('is asked of the first; of the second too where that is silent, and the one that answered first delivers alone', async () => {
    const tallies = new Tallies();
    const [first, second] = [new Server('first', 'answers'), new Server('second', 'answers')];
    const source = openReplicas([first, second], tallies);
    assert.deepEqual(await read(source), { rows: ['first', 'first'], dropped: 1 });
    assert.equal(second.asked, 0);
    first.mood = 'hangs';
    assert.deepEqual(await read(source), { rows: ['second', 'second'], dropped: 1 });
    assert.deepEqual([first.stopped, tallies.hedges, tallies.retries], [1, 1, 0]);
    assert.deepEqual(await source.count(ALL, new AbortController().signal), { sure: 2, unsure: [] });
    await source.close();
  });

  it('leaves out a server that is silent again and again, and has it back once it answers', async () => {
    const tallies = new Tallies();
    const [first, second] = [new Server('first', 'hangs'), new Server('second', 'answers')];
    const source = openReplicas([first, second], tallies);
    for (let call = 0; call < LIMITS.breakerFailures; call += 1) await read(source);
    const asked = tallies.hedges;
    assert.equal(asked, LIMITS.breakerFailures);
    assert.deepEqual((await read(source)).rows, ['second', 'second']);
    assert.equal(tallies.hedges, asked);
    assert.match((await source.describe(new AbortController().signal)).trouble!, /^1 of its 2 servers/);
    first.mood = 'answers';
    // The probe that hangs is not waited for: a look at all of them tells.
    await source.describe(new AbortController().signal);
    for (let tries = 0; (await read(source)).rows[0] !== 'first'; tries += 1) assert.ok(tries < 100);
    await source.close();
  });

  it('goes on to the next server where one fails before it gave anything, and fails only where all do', async () => {
    const tallies = new Tallies();
    const servers = [new Server('first', 'unreachable'), new Server('second', 'broken', true), new Server('third', 'answers')];
    const source = openReplicas(servers, tallies);
    assert.deepEqual((await read(source)).rows, ['third', 'third']);
    assert.equal(tallies.retries, 2);
    servers[2]!.mood = 'overloaded';
    await assert.rejects(read(source), failsAs('overloaded'));
    servers[0]!.mood = 'refused';
    const asked = servers[1]!.asked;
    await assert.rejects(read(source), failsAs('refused'));
    assert.equal(servers[1]!.asked, asked);
    await source.close();
  });

  it('fails as the server that was there said, where another was not', async () => {
    for (const said of ['overloaded', 'broken', 'changed'] as const) {
      for (const moods of [[said, 'unreachable'], ['unreachable', said]] as const) {
        const source = openReplicas(moods.map((mood) => new Server(mood, mood)), new Tallies());
        await assert.rejects(read(source), failsAs(said));
        await assert.rejects(source.count(ALL, new AbortController().signal), failsAs(said));
        await assert.rejects(source.describe(new AbortController().signal), failsAs(said));
        await source.close();
      }
    }
  });

  it('makes no storm of a failure: of all calls a tenth at most is asked again', async () => {
    const tallies = new Tallies();
    const server = new Server('only', 'unreachable');
    const source = openReplicas([server], tallies);
    for (let call = 0; call < 60; call += 1) await assert.rejects(read(source), failsAs('unreachable'));
    assert.ok(tallies.retries <= LIMITS.extraCallsMost + 60 * LIMITS.extraCallsShare, `${tallies.retries}`);
    assert.equal(server.asked, 60 + tallies.retries);
    await source.close();
  });

  it('stops every server that works on a call that nobody waits for any more', async () => {
    const servers = [new Server('first', 'hangs'), new Server('second', 'hangs')];
    const source = openReplicas(servers, new Tallies());
    const controller = new AbortController();
    const reading = assert.rejects(read(source, controller.signal));
    await until(() => servers.every(({ asked }) => asked === 1));
    controller.abort();
    await reading;
    assert.deepEqual(servers.map(({ stopped }) => stopped), [1, 1]);
    await source.close();
  });

  it('tells that a server is unreachable which cut an idle connection, and then took no other', async () => {
    const server = new Server('only', 'broken');
    Object.defineProperty(server, 'mood', { get: () => (server.asked === 1 ? 'broken' : 'unreachable') });
    const source = openReplicas([server], new Tallies());
    await assert.rejects(read(source), failsAs('unreachable'));
    assert.equal(server.asked, 2);
    await source.close();
  });
});
