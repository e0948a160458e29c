import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Change, DiskNode, FileNode, Folder, Step } from './disk.ts';

/** What may stand on a disk after the power was lost: folders null, links by their target. */
export type Tree = ReadonlyMap<string, Buffer | string | null>;
type State = {
  readonly tree: Tree;
  /** Lines that were said before. */
  readonly said: readonly string[];
  /** Where, and what of the rest is there. */
  readonly about: string;
};

/** How much is there of what was not synced: of names, by folder; of bytes, the same for every file. */
type Names = { readonly about: string; kept(folder: Folder, from: number, to: number): number };
const CONTENTS = ['none', 'all', 'zeros', 'half', 'last', 'first missing'] as const;
type Contents = (typeof CONTENTS)[number];
type NameChange = Extract<Change, { kind: 'name' }>;
type ByteChange = Exclude<Change, NameChange>;
/** Changes of one node, and how many of them are certain. */
type Pending<C> = { readonly changes: C[]; readonly numbers: number[]; certain: number; readonly made: Map<string, Buffer> };

/**
 * States that a disk may be in when the power is lost after each of the steps. Certain is what was synced by name: bytes by a sync of
 * their file, names by one of their folder. Of the rest, names of a folder come in order, and folders in none; bytes of a file may be missing,
 * zeros, or there in part. States of which the same `counts` come once.
 */
export function* states(disk: Folder, steps: readonly Step[], counts: (tree: Tree) => Tree, chances: number): Generator<State> {
  const names = new Map<Folder, Pending<NameChange>>();
  const bytes = new Map<FileNode, Pending<ByteChange>>();
  const told = new Set<string>();
  const chance = random(1);
  let said = '';
  for (const [number, step] of [null, ...steps].entries()) {
    if (step?.kind === 'said') said += step.text;
    else if (step?.kind === 'sync') settle(names, bytes, step);
    else if (step?.kind === 'name') of(names, step.folder, step, number);
    else if (step !== null) of(bytes, step.file, step, number);
    const lines = said.split('\n').slice(0, -1);
    for (const [keep, contents] of choices([...names], chances, chance)) {
      const tree = treeOf(disk, names, bytes, keep, contents);
      const key = `${lines.length} ${digestOf(counts(tree))}`;
      if (told.has(key)) continue;
      told.add(key);
      yield { tree, said: lines, about: `after step ${number} (${step === null ? 'none' : step.kind}), names: ${keep.about}, bytes: ${contents}` };
    }
  }
}

function of<N, C extends Change>(all: Map<N, Pending<C>>, node: N, change: C, number: number): void {
  const pending = all.get(node) ?? { changes: [], numbers: [], certain: 0, made: new Map<string, Buffer>() };
  all.set(node, pending);
  pending.changes.push(change);
  pending.numbers.push(number);
}

function settle(names: Map<Folder, Pending<NameChange>>, bytes: Map<FileNode, Pending<ByteChange>>, { node, since }: Extract<Step, { kind: 'sync' }>): void {
  const until = ({ numbers }: Pending<unknown>): number => numbers.filter((number) => number <= since).length;
  for (const [of, pending] of names) if (of === node) pending.certain = Math.max(pending.certain, until(pending));
  for (const [of, pending] of bytes) if (of === node) pending.certain = Math.max(pending.certain, until(pending));
}

function* choices(folders: readonly [Folder, Pending<NameChange>][], chances: number, chance: () => number): Generator<readonly [Names, Contents]> {
  const open = folders.filter(([, { changes, certain }]) => certain < changes.length).map(([folder]) => folder);
  const all: Names[] = [{ about: 'none', kept: (_, from) => from }, { about: 'all', kept: (_, _from, to) => to }];
  for (const [nth, own] of open.length > 1 ? open.entries() : []) {
    all.push({ about: `all but folder ${nth}`, kept: (folder, from, to) => (folder === own ? from : to) });
    all.push({ about: `folder ${nth} alone`, kept: (folder, from, to) => (folder === own ? to : from) });
  }
  for (let nth = 0; nth < chances; nth += 1) {
    const drawn = new Map(open.map((folder) => [folder, chance()]));
    all.push({ about: `chance ${nth}`, kept: (folder, from, to) => from + Math.floor((drawn.get(folder) ?? 1) * (to - from + 1)) });
  }
  for (const keep of all) for (const contents of CONTENTS) yield [keep, contents];
}

function treeOf(disk: Folder, names: ReadonlyMap<Folder, Pending<NameChange>>, bytes: ReadonlyMap<FileNode, Pending<ByteChange>>, keep: Names, contents: Contents): Tree {
  const taken: [number, NameChange][] = [];
  for (const [folder, { changes, numbers, certain }] of names) {
    const kept = Math.min(changes.length, keep.kept(folder, certain, changes.length));
    for (let at = 0; at < kept; at += 1) taken.push([numbers[at]!, changes[at]!]);
  }
  const entries = new Map<Folder, Map<string, DiskNode>>();
  const inside = (folder: Folder): Map<string, DiskNode> => {
    if (!entries.has(folder)) entries.set(folder, new Map(folder.before));
    return entries.get(folder)!;
  };
  for (const [, { folder, name, node, out }] of taken.sort(([a], [b]) => a - b)) {
    if (out !== null && inside(out.folder).get(out.name) === node) inside(out.folder).delete(out.name);
    if (node === null) inside(folder).delete(name);
    else inside(folder).set(name, node);
  }
  const tree = new Map<string, Buffer | string | null>();
  const walk = (folder: Folder, below: string): void => {
    for (const [name, node] of inside(folder)) {
      const path = join(below, name);
      tree.set(path, node.kind === 'folder' ? null : node.kind === 'link' ? node.target : contentsOf(node, bytes.get(node), contents));
      if (node.kind === 'folder') walk(node, path);
    }
  };
  walk(disk, '');
  return tree;
}

function contentsOf({ before }: FileNode, pending: Pending<ByteChange> | undefined, contents: Contents): Buffer {
  if (pending === undefined) return before;
  const key = `${pending.certain} of ${pending.changes.length}: ${contents}`;
  const made = pending.made.get(key);
  if (made !== undefined) return made;
  const sure = pending.changes.slice(0, pending.certain);
  const rest = pending.changes.slice(pending.certain);
  const now = [...sure, ...someOf(rest, contents)].reduce(changed, before);
  pending.made.set(key, now);
  return now;
}

function someOf(rest: readonly ByteChange[], contents: Contents): readonly ByteChange[] {
  switch (contents) {
    case 'none': return [];
    case 'all': return rest;
    case 'zeros': return rest.map((change) => (change.kind === 'write' ? { ...change, bytes: Buffer.alloc(change.bytes.length) } : change));
    case 'half': return rest.slice(0, Math.ceil(rest.length / 2)).map((change, at, some) => (at === some.length - 1 ? halved(change) : change));
    case 'last': return rest.slice(-1);
    case 'first missing': return rest.slice(1);
    default: return contents satisfies never;
  }
}

function halved(change: ByteChange): ByteChange {
  return change.kind === 'write' ? { ...change, bytes: change.bytes.subarray(0, change.bytes.length >> 1) } : change;
}

function changed(bytes: Buffer, change: ByteChange): Buffer {
  const length = change.kind === 'cut' ? change.bytes : Math.max(bytes.length, change.at + change.bytes.length);
  const next = Buffer.alloc(length);
  bytes.copy(next, 0, 0, Math.min(length, bytes.length));
  if (change.kind === 'write') change.bytes.copy(next, change.at);
  return next;
}

function digestOf(tree: Tree): string {
  const hash = createHash('sha1');
  for (const [path, content] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${path}\0${content === null ? 'folder' : typeof content === 'string' ? content : digestOfBytes(content)}\0`);
  return hash.digest('base64');
}

const digests = new WeakMap<Buffer, string>();

function digestOfBytes(bytes: Buffer): string {
  const known = digests.get(bytes) ?? createHash('sha1').update(bytes).digest('base64');
  digests.set(bytes, known);
  return known;
}

/** Puts a state in the place of a folder. */
export function lay(tree: Tree, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of tree) {
    if (content === null) mkdirSync(join(folder, path));
    else if (typeof content === 'string') symlinkSync(content, join(folder, path));
    else writeFileSync(join(folder, path), content);
  }
}

/** Numbers from 0 up to 1, the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}
