/** A page as the edge asks for it: what of a request a page may know. */
export type PageRequest = {
  readonly requestId: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** As sent, without the question mark. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: { get(name: string): string | undefined };
  /** `network` is what visitors are counted by; `secure` where they came over TLS. */
  readonly client: { readonly network: string; readonly secure: boolean };
  /** Says whose request it is, for its log line. */
  identify(accountId: string): void;
  /** Null where the visitor left meanwhile. Once only. */
  body(): Promise<Uint8Array | null>;
};

export type PageAnswer = {
  readonly status: number;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array;
  readonly contentType: string;
  readonly cacheControl: string;
};

/** An answer that is text. */
export type PageText = PageAnswer & { readonly body: string };

export type PageRoute = {
  readonly method: 'GET' | 'POST';
  /** As the router reads it: `{name}` takes one segment. */
  readonly path: string;
  readonly handle: (request: PageRequest) => PageAnswer | Promise<PageAnswer>;
};

/** What a page tells about a failure, and of whose request. */
export type PageProblem = Pick<PageRequest, 'requestId' | 'headers' | 'client'> & { readonly status: number; readonly code: string; readonly detail: string };
