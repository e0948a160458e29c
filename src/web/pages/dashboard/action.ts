import type { PageAnswer, PageRequest } from '../../../model/page.ts';
import type { Here } from '../../session.ts';
import type { Site } from '../../site.ts';

/** What a form of the dashboard does, for a visitor who is signed in. */
export type Action = (site: Site, request: PageRequest, here: Here) => Promise<PageAnswer>;
export type Actions = readonly (readonly [path: string, act: Action])[];
