import type { PageAnswer, PageText } from '../model/page.ts';
import type { Html } from './html.ts';

type HeaderList = NonNullable<PageAnswer['headers']>;

/** No cache keeps a page: it may show what is one visitor's. */
export const PAGE = { status: 200, contentType: 'text/html; charset=utf-8', cacheControl: 'no-store' } as const;

export function page(body: Html, { status = 200, headers = [] }: { readonly status?: number; readonly headers?: HeaderList } = {}): PageText {
  return { ...PAGE, status, headers, body: body.text };
}

/** After a form was taken: the browser asks for the next page by GET, so that loading it again sends nothing twice. */
export function seeOther(path: string, headers: HeaderList = []): PageAnswer {
  return { status: 303, headers: [['Location', path], ...headers], body: '', contentType: 'text/plain; charset=utf-8', cacheControl: 'no-store' };
}
