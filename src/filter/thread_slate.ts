import { whereRoom } from '../lib/wasm_room.ts';
import { PlainSlate } from './plain_slate.ts';
import type { Slate } from './slate.ts';
import { WasmSlate } from './wasm_slate.ts';

/** The thread's. */
export const SLATE: Slate = whereRoom(() => new WasmSlate()) ?? new PlainSlate();
