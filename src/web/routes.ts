import type { PageProblem, PageRoute, PageText } from '../model/page.ts';
import { Assets } from './assets.ts';
import { FormSeal } from './csrf.ts';
import { dashboardRoutes } from './pages/dashboard/routes.ts';
import { docsRoutes } from './pages/docs.ts';
import { homeRoutes } from './pages/home.ts';
import { playgroundRoutes } from './pages/playground.ts';
import { problemPage } from './pages/problem.ts';
import { signInRoutes } from './pages/sign_in.ts';
import { signUpRoutes } from './pages/sign_up.ts';
import type { ApiDocument } from './reference/document.ts';
import type { Site } from './site.ts';

export type WebParts = Omit<Site, 'asset' | 'seal' | 'document'> & {
  /** In the form that `document.ts` of the reference tells. */
  readonly document: Readonly<Record<string, unknown>>;
  /** The same on every gateway, so that a form of one is taken by another. */
  readonly formSecret: Uint8Array;
};

type Web = { readonly pages: readonly PageRoute[]; readonly problem: (problem: PageProblem) => PageText };

/** Every page there is. */
export function openWeb({ formSecret, document, ...parts }: WebParts): Web {
  const assets = new Assets();
  const site: Site = { ...parts, document: document as ApiDocument, seal: new FormSeal(formSecret), asset: assets.url };
  return {
    pages: [
      ...homeRoutes(site), ...signUpRoutes(site), ...signInRoutes(site), ...dashboardRoutes(site), ...playgroundRoutes(site), ...docsRoutes(site),
      assets.route,
    ],
    problem: (problem) => problemPage(assets.url, problem),
  };
}
