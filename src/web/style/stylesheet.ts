import { BASE } from './base.ts';
import { DASHBOARD } from './dashboard.ts';
import { FORMS } from './forms.ts';
import { FRAME } from './frame.ts';
import { HOME } from './home.ts';
import { PLAYGROUND } from './playground.ts';
import { REFERENCE } from './reference.ts';

/** The one stylesheet. A text in a module, because the compiler carries modules along and nothing else. */
export const STYLESHEET = [BASE, FRAME, FORMS, HOME, DASHBOARD, PLAYGROUND, REFERENCE].join('\n');
