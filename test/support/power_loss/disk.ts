import assert from 'node:assert/strict';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Call } from './recorded.ts';

export type FileNode = { readonly kind: 'file'; readonly before: Buffer };
export type Folder = { readonly kind: 'folder'; readonly before: ReadonlyMap<string, DiskNode> };
type LinkNode = { readonly kind: 'link'; readonly target: string };
export type DiskNode = FileNode | Folder | LinkNode;

/** What a process did to files, name by name and byte by byte. `move`: from `out`, if the node stands there. */
export type Change =
  | { readonly kind: 'name'; readonly folder: Folder; readonly name: string; readonly node: DiskNode | null; readonly out: { readonly folder: Folder; readonly name: string } | null }
  | { readonly kind: 'write'; readonly file: FileNode; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'cut'; readonly file: FileNode; readonly bytes: number };
/** `since`: the changes before it are on the disk. */
type Sync = { readonly kind: 'sync'; readonly node: DiskNode; readonly since: number };
type Said = { readonly kind: 'said'; readonly text: string };
export type Step = Change | Sync | Said;

/** A folder as it is before a process runs; all of it is on the disk. */
export function diskOf(path: string): Folder {
  return { kind: 'folder', before: new Map(readdirSync(path).map((name) => [name, nodeOf(join(path, name))])) };
}

function nodeOf(path: string): DiskNode {
  const stat = lstatSync(path);
  if (stat.isDirectory()) return diskOf(path);
  return stat.isSymbolicLink() ? { kind: 'link', target: readlinkSync(path) } : { kind: 'file', before: readFileSync(path) };
}

/** The calls of a process as steps of what stands below `root`, and of what it said on standard output. Calls that no one here knows fail. */
export function stepsOf(calls: readonly Call[], root: string, disk: Folder): Step[] {
  const replay = new Replay(root, disk);
  for (const call of calls) replay.take(call);
  return replay.steps;
}

class Replay {
  readonly steps: Step[] = [];
  readonly #root: string;
  readonly #disk: Folder;
  /** The names as the process sees them. */
  readonly #names = new Map<Folder, Map<string, DiskNode>>();
  readonly #sizes = new Map<FileNode, number>();
  /** By descriptor: where the next write goes, null for the end of the file. */
  readonly #offsets = new Map<number, number | null>();
  /** How many steps there were after each call. */
  readonly #after: number[] = [];

  constructor(root: string, disk: Folder) {
    this.#root = root;
    this.#disk = disk;
  }

  take(call: Call): void {
    this.#step(call);
    this.#after.push(this.steps.length);
  }

  #step({ name, args, result, since }: Call): void {
    const at = (first: string, path?: string): string => (path === undefined ? textOf(first) : resolve(pathOf(first), textOf(path)));
    switch (name) {
      case 'openat': return this.#open(at(args[0]!, args[1]), args[2]!, result);
      case 'open': return this.#open(at(args[0]!), args[1]!, result);
      case 'creat': return this.#open(at(args[0]!), 'O_CREAT|O_TRUNC', result);
      case 'lseek': if (this.#offsets.get(numberOf(args[0]!)) !== null) this.#offsets.set(numberOf(args[0]!), result); return;
      case 'write': return this.#append(args[0]!, bytesOf(args[1]!).subarray(0, result));
      case 'writev': return this.#append(args[0]!, vectorOf(args[1]!).subarray(0, result));
      case 'pwrite64': return this.#write(args[0]!, bytesOf(args[1]!).subarray(0, result), Number(args[3]));
      case 'pwritev': case 'pwritev2': return this.#write(args[0]!, vectorOf(args[1]!).subarray(0, result), Number(args[3]));
      case 'ftruncate': return this.#cut(this.#find(pathOf(args[0]!)), Number(args[1]));
      case 'truncate': return this.#cut(this.#find(at(args[0]!)), Number(args[1]));
      case 'fsync': case 'fdatasync': return this.#sync(pathOf(args[0]!), since);
      case 'mkdir': return this.#name(at(args[0]!), { kind: 'folder', before: new Map() });
      case 'mkdirat': return this.#name(at(args[0]!, args[1]), { kind: 'folder', before: new Map() });
      case 'symlink': return this.#name(at(args[1]!), { kind: 'link', target: textOf(args[0]!) });
      case 'symlinkat': return this.#name(at(args[1]!, args[2]), { kind: 'link', target: textOf(args[0]!) });
      case 'unlink': case 'rmdir': return this.#name(at(args[0]!), null);
      case 'unlinkat': return this.#name(at(args[0]!, args[1]), null);
      case 'rename': return this.#move(at(args[0]!), at(args[1]!));
      case 'renameat': case 'renameat2': return this.#move(at(args[0]!, args[1]), at(args[2]!, args[3]));
      default: assert.ok(!args.some((arg) => this.#isOurs(arg.startsWith('"') ? textOf(arg) : pathOf(arg))), `${name} is not replayed`);
    }
  }

  #isOurs(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`);
  }

  /** Null for what stands elsewhere, or has no name any more. */
  #find(path: string): DiskNode | null {
    if (!this.#isOurs(path)) return null;
    let node: DiskNode | undefined = this.#disk;
    for (const name of path.slice(this.#root.length).split('/').filter((part) => part !== '')) node = node?.kind === 'folder' ? this.#in(node).get(name) : undefined;
    return node ?? null;
  }

  #in(folder: Folder): Map<string, DiskNode> {
    if (!this.#names.has(folder)) this.#names.set(folder, new Map(folder.before));
    return this.#names.get(folder)!;
  }

  #open(path: string, flags: string, descriptor: number): void {
    this.#offsets.set(descriptor, flags.includes('O_APPEND') ? null : 0);
    if (!this.#isOurs(path) || flags.includes('O_TMPFILE')) return;
    const found = this.#find(path);
    if (found === null && flags.includes('O_CREAT')) this.#name(path, { kind: 'file', before: Buffer.alloc(0) });
    else if (flags.includes('O_TRUNC') && found?.kind === 'file' && this.#sizeOf(found) > 0) this.#cut(found, 0);
  }

  #append(descriptor: string, bytes: Buffer): void {
    const number = numberOf(descriptor);
    const file = this.#find(pathOf(descriptor));
    if (number === 1 && file === null) return void this.steps.push({ kind: 'said', text: bytes.toString() });
    const offset = this.#offsets.get(number) ?? null;
    if (file?.kind === 'file') this.#write(descriptor, bytes, offset ?? this.#sizeOf(file));
    if (offset !== null) this.#offsets.set(number, offset + bytes.length);
  }

  #write(descriptor: string, bytes: Buffer, at: number): void {
    const file = this.#find(pathOf(descriptor));
    if (file?.kind !== 'file') return;
    this.steps.push({ kind: 'write', file, at, bytes });
    this.#sizes.set(file, Math.max(this.#sizeOf(file), at + bytes.length));
  }

  #cut(file: DiskNode | null, bytes: number): void {
    if (file?.kind !== 'file') return;
    this.steps.push({ kind: 'cut', file, bytes });
    this.#sizes.set(file, bytes);
  }

  #sizeOf(file: FileNode): number {
    return this.#sizes.get(file) ?? file.before.length;
  }

  #sync(path: string, since: number): void {
    const node = this.#find(path);
    if (node !== null) this.steps.push({ kind: 'sync', node, since: since === 0 ? 0 : this.#after[since - 1]! });
  }

  #name(path: string, node: DiskNode | null): void {
    this.#put(path, node, null);
  }

  #move(from: string, to: string): void {
    const node = this.#find(from);
    assert.ok(node !== null || !this.#isOurs(to), `${to} came from elsewhere`);
    if (node === null) return;
    const folder = this.#find(dirname(from)) as Folder;
    const name = from.slice(dirname(from).length + 1);
    this.#in(folder).delete(name);
    this.#put(to, node, { folder, name });
  }

  #put(path: string, node: DiskNode | null, out: { readonly folder: Folder; readonly name: string } | null): void {
    const folder = this.#find(dirname(path));
    if (folder?.kind !== 'folder') return;
    const name = path.slice(dirname(path).length + 1);
    if (node === null) this.#in(folder).delete(name);
    else this.#in(folder).set(name, node);
    this.steps.push({ kind: 'name', folder, name, node, out });
  }
}

const numberOf = (arg: string): number => Number.parseInt(arg, 10);
const unescaped = (hex: string): Buffer => Buffer.from(hex.replaceAll('\\x', ''), 'hex');
const bytesOf = (arg: string): Buffer => unescaped(arg.slice(1, arg.lastIndexOf('"')));
const textOf = (arg: string): string => bytesOf(arg).toString();
const vectorOf = (arg: string): Buffer => Buffer.concat(Array.from(arg.matchAll(/iov_base="([^"]*)"/g), ([, hex]) => unescaped(hex!)));

function pathOf(descriptor: string): string {
  const [, hex = ''] = /<([^>]*)>/.exec(descriptor) ?? [];
  return /^(?:\\x[0-9a-f]{2})+$/.test(hex) ? unescaped(hex).toString() : hex;
}
