import type { PageProblem, PageRequest, PageRoute, PageText } from '../model/page.ts';
import { headerLines } from './answer_lines.ts';
import type { Call, ProblemForm } from './call.ts';
import type { Client } from './client.ts';
import type { RequestHead } from './exchange.ts';
import type { Route } from './gateway.ts';
import { pageHeaders } from './page_headers.ts';
import { problemAnswer, problemOf, type ProblemAnswer } from './problem.ts';

type PageParts = {
  readonly pages: readonly PageRoute[];
  readonly problem: (problem: PageProblem) => PageText;
  readonly clientOf: (head: RequestHead) => Client;
};

/** The routes of pages: they take no key, and tell their failures to browsers in words, to all else as the API does. */
export function pageRoutes({ pages, problem, clientOf }: PageParts): Route[] {
  const inWords: ProblemForm = (error, requestId, head) =>
    (wantsPage(head) ? problemInWords(error, problem, { requestId, headers: head.headers, client: clientOf(head) }) : problemAnswer(error, requestId));
  return pages.map(({ method, path, handle }) => ({
    method, path, access: 'open', problem: inWords,
    handle: async (call) => {
      const client = clientOf(call.exchange.head);
      const { status, headers = [], body, contentType, cacheControl } = await handle(requestOf(call, client));
      call.answerWith(status, [...pageHeaders(call.requestId, contentType, cacheControl, client.secure), ...headers], body);
    },
  }));
}

function requestOf(call: Call, client: Client): PageRequest {
  const { head } = call.exchange;
  const { requestId, parameters } = call;
  return { requestId, parameters, query: head.query, headers: head.headers, client, identify: (id) => { call.visitorId = id; }, body: () => call.body() };
}

function problemInWords(error: unknown, problem: PageParts['problem'], request: Pick<PageRequest, 'requestId' | 'headers' | 'client'>): ProblemAnswer {
  const { code, status, detail, headers } = problemOf(error);
  const { body, contentType, cacheControl } = problem({ code, status, detail, ...request });
  return { status, headers: headerLines([...pageHeaders(request.requestId, contentType, cacheControl, request.client.secure), ...headers]), body };
}

function wantsPage({ headers }: RequestHead): boolean {
  return headers.get('accept')?.includes('text/html') ?? false;
}
