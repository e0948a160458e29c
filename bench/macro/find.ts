import { contactFiles } from '../data/contacts.ts';
import { PEERS } from '../peers/peer.ts';
import { peerTable } from '../peers/table.ts';
import { assertAgreement, meanBytes } from '../support/agreement.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { lakeOf, startService, type BenchLake } from '../support/lake.ts';
import { assertNativeServer } from '../support/native_server.ts';
import { paced, type Paced } from '../support/paced.ts';
import { ratio, type Figures, type Report } from '../support/report.ts';
import { findSearches, PAGE_ROWS, sampleOf } from '../support/searches.ts';
import { startBare, startFastify, startPeer, startRoundTrip, type PostTarget } from '../support/targets.ts';
import { load, postScript, type Load, type Measured } from '../support/wrk.ts';

const CONNECTIONS = 64;
/** A peer that takes its time gains nothing by more. */
const PEER_CONNECTIONS = 4;
const SEARCHES_SEED = 7;
const COMPARED = 200;
const ARRIVAL_CONNECTIONS = 128;
const SHARE = 0.8;
const FEWEST_CONNECTIONS = 8;
const MORE_CONNECTIONS = 4;
/** For each before the first round: a service that has just begun has its code and the pages of ten million rows still before it. */
const WARM_SECONDS = 12;
/** While nothing is measured: the service has just been left alone for the others' turns. */
const ARRIVAL_WARM_SECONDS = 2;
/** The first contenders, whose processor time is told: the lakes, the constants and what lies between. */
const TIMED = 5;

const BARE = 'bare uWS';
const ROUND_TRIP = 'round trip';

type Contender = { readonly name: string; readonly target: Omit<Load, 'seconds' | 'script'> };

/** `/v1/find` as users send it, against a constant of the same size, the floor of a find whose rows another thread reads, and others doing the same search. */
export const findBench: Bench = {
  summary: 'a country, an industry or a level, an email address; 25 rows, exact total: against bare uWS, uWS over a thread that copies 25 rows, Fastify, and Fastify over DuckDB, SQLite, ClickHouse',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  assertNativeServer('find');
  const files = await contactFiles(options);
  const lake = await lakeOf(files);
  const service = opened.keep(await startService(lake), (one) => one.stop());
  const searches = findSearches(await sampleOf(lake.truth, files.folder), options.searches, SEARCHES_SEED);
  const compared = searches.slice(0, options.smoke ? 10 : COMPARED);
  const bytes = await meanBytes(service, compared);
  const bodies = searches.map((search) => JSON.stringify(search));
  const script = postScript({ folder: opened.folder, name: 'find', bodies, headers: { authorization: `Bearer ${lake.key}` }, smoke: options.smoke });

  const onDisk = opened.keep(await startService(lake, { map_files: false, rows_memory_mb: 0 }), (one) => one.stop());
  const kept = async (starting: Promise<PostTarget>): Promise<PostTarget> => opened.keep(await starting, ({ stop }) => stop());
  const bare = await kept(startBare(bytes));
  const roundTrip = await kept(startRoundTrip(bytes, PAGE_ROWS, lake.files.map(({ rows }) => rows)));
  const fastify = await kept(startFastify(bytes));
  const contenders: Contender[] = [
    { name: 'lake', target: { url: service.find, pid: service.pid, connections: CONNECTIONS } },
    { name: 'lake, rows on disk', target: { url: onDisk.find, pid: onDisk.pid, connections: CONNECTIONS } },
    { name: BARE, target: { url: bare.find, pid: bare.pid, connections: CONNECTIONS } },
    { name: ROUND_TRIP, target: { url: roundTrip.find, pid: roundTrip.pid, connections: CONNECTIONS } },
    { name: 'Fastify, constant', target: { url: fastify.find, pid: fastify.pid, connections: CONNECTIONS } },
  ];
  const peers = options.alone ? [] : PEERS;
  const table = options.alone ? '' : await peerTable(lake.truth, files.folder);
  for (const name of peers) {
    const peer = await kept(startPeer(name, table, files.folder));
    await assertAgreement(service, peer, name, compared);
    contenders.push({ name: `Fastify, ${name}`, target: { url: peer.find, pid: peer.pid, connections: PEER_CONNECTIONS } });
  }

  const measured = inTurns(contenders, options, script);
  const perSecond = (at: number): number[] => measured.map((round) => round[at]!.requestsPerSecond);
  const arrived = [
    ...closedLoop(contenders[0]!, script, perSecond(0), options),
    ...openLoop('lake', { lake, url: service.find, bodies, saturations: perSecond(0) }, options, opened),
    ...openLoop(BARE, { lake, url: bare.find, bodies, saturations: perSecond(placeOf(BARE, contenders)) }, options, opened),
  ];
  return {
    figures: [...figuresOf(contenders, measured), ...arrived],
    notes: [`answers of ${bytes} bytes on average, ${searches.length.toLocaleString('en')} different searches${options.alone ? '' : `; the peers gave the same rows and totals to ${compared.length} of them`}`],
  };
}

const placeOf = (wanted: string, contenders: readonly Contender[]): number => contenders.findIndex(({ name }) => name === wanted);

function inTurns(contenders: readonly Contender[], { rounds, seconds, smoke }: BenchOptions, script: string): Measured[][] {
  if (!smoke) for (const { target } of contenders) load({ ...target, script, seconds: WARM_SECONDS });
  return Array.from({ length: rounds }, () => contenders.map(({ target }) => load({ ...target, script, seconds })));
}

function figuresOf(contenders: readonly Contender[], measured: readonly (readonly Measured[])[]): Figures[] {
  const of = (at: number, read: (one: Measured) => number): number[] => measured.map((round) => read(round[at]!));
  const perSecond = contenders.map((_, at) => of(at, ({ requestsPerSecond }) => requestsPerSecond));
  return [
    ...contenders.map(({ name }, at): Figures => ({ name, unit: 'requests/s', figures: perSecond[at]! })),
    ...contenders.slice(1).map(({ name }, at) => ratio(`lake / ${name}`, perSecond[0]!, perSecond[at + 1]!)),
    ratio(`${ROUND_TRIP} / ${BARE}`, perSecond[placeOf(ROUND_TRIP, contenders)]!, perSecond[placeOf(BARE, contenders)]!),
    ...contenders.slice(0, TIMED).map(({ name }, at): Figures =>
      ({ name: `${name}: processor time of server and load`, unit: 'us/request', figures: of(at, ({ cpuUsPerRequest }) => cpuUsPerRequest) }),
    ),
  ];
}

/** With the fewest connections that bring it to a share of what it answers at most: whoever waits for an answer sends nothing meanwhile. */
function closedLoop({ target }: Contender, script: string, saturations: readonly number[], { seconds, smoke }: BenchOptions): Figures[] {
  const most = smoke ? FEWEST_CONNECTIONS + MORE_CONNECTIONS : CONNECTIONS;
  const results = saturations.map((perSecond) => {
    let connections = FEWEST_CONNECTIONS;
    let one = load({ ...target, connections, script, seconds });
    while (one.requestsPerSecond < perSecond * SHARE && connections < most) {
      connections += MORE_CONNECTIONS;
      one = load({ ...target, connections, script, seconds });
    }
    return { ...one, connections, share: one.requestsPerSecond / perSecond };
  });
  const of = (name: string, unit: string, read: (one: (typeof results)[number]) => number): Figures =>
    ({ name: `lake, as many connections as bring it to 80 %: ${name}`, unit, figures: results.map(read) });
  return [
    of('connections', '', ({ connections }) => connections),
    of('share', 'of the most', ({ share }) => share),
    of('p50', 'ms', ({ p50Ms }) => p50Ms),
    of('p99', 'ms', ({ p99Ms }) => p99Ms),
  ];
}

type Arrivals = { readonly lake: BenchLake; readonly url: string; readonly bodies: readonly string[]; readonly saturations: readonly number[] };

/** Fixed arrivals at a share of what it answers at most, which is what the same `wrk` got of it in the same round. */
function openLoop(name: string, { lake: { key }, url, bodies, saturations }: Arrivals, { seconds, smoke }: BenchOptions, { folder }: Opened): Figures[] {
  const results = saturations.map((perSecond) => paced({
    url, key, bodies, folder, connections: ARRIVAL_CONNECTIONS, rate: perSecond * SHARE,
    warmSeconds: smoke ? 0 : ARRIVAL_WARM_SECONDS, seconds,
  }));
  const of = (what: string, unit: string, read: (one: Paced) => number): Figures => ({ name: `${name}, fixed arrivals at 80 %: ${what}`, unit, figures: results.map(read) });
  return [
    of('p50 from the sending', 'ms', ({ servedP50Ms }) => servedP50Ms),
    of('p99 from the sending', 'ms', ({ servedP99Ms }) => servedP99Ms),
    of('sent too late by, p99', 'ms', ({ lateP99Ms }) => lateP99Ms),
    of('sent too late by at most', 'ms', ({ lateMsMax }) => lateMsMax),
    of('p99 from the time it was due, at most', 'ms', ({ p99MsAtMost }) => p99MsAtMost),
  ];
}
