/** The same call in other words. Pure: `origin` is where the gateway is. */
export type Snippets = { readonly curl: string; readonly typescript: string; readonly ndjson: string };

export function findSnippets(origin: string, body: object): Snippets {
  const { limit: _, ...all } = body as { limit?: unknown };
  return {
    curl: curl(`${origin}/v1/find`, body),
    typescript: typescript(`${origin}/v1/find`, body, 'results, total, warnings'),
    ndjson: curl(`${origin}/v1/find`, all, ['-N'], ['Accept: application/x-ndjson']),
  };
}

export function validateSnippets(origin: string, body: { readonly email: string }): Snippets {
  return {
    curl: curl(`${origin}/v1/email/validate`, body),
    typescript: typescript(`${origin}/v1/email/validate`, body, 'data, meta, error'),
    ndjson: curl(`${origin}/v1/email/validate`, { emails: [body.email] }, ['-N'], ['Accept: application/x-ndjson']),
  };
}

function curl(url: string, body: object, options: readonly string[] = [], headers: readonly string[] = []): string {
  return [
    ['curl', '-sS', ...options, url].join(' '),
    '-H "Authorization: Bearer $LDS_KEY"',
    ...headers.map((header) => `-H ${quoted(header)}`),
    `-d ${quoted(indented(body))}`,
  ].join(' \\\n  ');
}

/** A list without parts of its own stands on one line; whatever follows a line break stands where the call does. */
function indented(body: object): string {
  return JSON.stringify(body, null, 2).replaceAll('\n', '\n  ').replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_, items: string) => `[${items.replace(/,\n\s+/g, ', ')}]`);
}

/** For a POSIX shell: nothing but the quote itself means anything between single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function typescript(url: string, body: object, members: string): string {
  return `const answer = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.LDS_KEY}\` },
  body: JSON.stringify(${indented(body)}),
});
if (!answer.ok) throw new Error(await answer.text());
const { ${members} } = await answer.json();`;
}
