import type { Accounts } from '../accounts/open.ts';
import type { CatalogView } from '../find/sources.ts';
import type { FormSeal } from './csrf.ts';
import type { AssetUrl } from './layout.ts';
import type { ApiDocument } from './reference/document.ts';

/** What the pages are made with. */
export type Site = {
  readonly accounts: Pick<Accounts, 'members' | 'keys' | 'recent' | 'look' | 'usageOf'>;
  readonly catalog: () => CatalogView;
  /** The OpenAPI document of this gateway. */
  readonly document: ApiDocument;
  readonly seal: FormSeal;
  readonly asset: AssetUrl;
  /** Whether an API path is served: a page offers nothing that is not. */
  readonly serves: (path: string) => boolean;
};
