import type { PageRoute } from '../../model/page.ts';
import { PAGE } from '../answers.ts';
import { html } from '../html.ts';
import { layout } from '../layout.ts';
import { Packed } from '../packed.ts';
import { reference } from '../reference/reference.ts';
import { hereOf } from '../session.ts';
import type { Site } from '../site.ts';

const PATH = '/docs';

export function docsRoutes(site: Site): PageRoute[] {
  // Here, before anybody asks, and once: it takes longer than any page, and the document stays the same for as long as the gateway runs.
  const told = reference(site.document);
  const drawn = (signedIn: boolean): Packed => new Packed(Buffer.from(layout({ title: 'API reference', path: PATH, asset: site.asset, signedIn }, html`
    <h1>API reference</h1>
    <p class="lead">Every endpoint, from the <a href="/openapi.json">OpenAPI document</a> that this gateway serves.</p>
    ${told}`).text));
  const [open, own] = [drawn(false), drawn(true)];
  return [{
    method: 'GET', path: PATH,
    handle: async (request) => {
      const signedIn = (await hereOf(request, site)) !== null;
      return { ...PAGE, ...await (signedIn ? own : open).answer(request.headers.get('accept-encoding')) };
    },
  }];
}
