import type { PageRoute } from '../../model/page.ts';
import { page } from '../answers.ts';
import { html } from '../html.ts';
import { layout } from '../layout.ts';
import { hereOf } from '../session.ts';
import type { Site } from '../site.ts';

const PATH = '/docs';

export function docsRoutes(site: Site): PageRoute[] {
  return [{
    method: 'GET', path: PATH,
    handle: async (request) => page(layout(
      {
        title: 'API reference', path: PATH, asset: site.asset, signedIn: (await hereOf(request, site.accounts.members, site.seal)) !== null,
        styles: ['reference.css'], scripts: ['docs.js'],
      },
      html`
      <h1>API reference</h1>
      <p class="lead">Every endpoint, from the <a href="/openapi.json">OpenAPI document</a> that this gateway serves.</p>
      <div id="reference" data-script="${site.asset('swagger-ui-bundle.js')}"><p class="hint unscripted" role="status">The reference is drawn by a script that is not here yet. If it stays away, load the page again; <a href="/openapi.json">/openapi.json</a> has all of it.</p></div>`,
    )),
  }];
}
