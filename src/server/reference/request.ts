import type { OpenApiDocument } from '../../contract/openapi/document.js';
import type { Json } from '../../contract/operations/operation.js';
import type { Entry } from './entries.js';
import { type Html, html } from './html.js';

/** An example of a request with curl; none for a WebSocket. */
export function renderRequest(
  { method, paths, operation }: Entry,
  document: OpenApiDocument,
): Html {
  if (Object.hasOwn(operation.responses as object, '101')) return html``;
  const [server] = document.servers as Json[];
  const path = (paths[0] ?? '').replaceAll(/\{(\w+)\}/g, '$$$1');
  const query = ((operation.parameters ?? []) as Json[])
    .filter((parameter) => parameter.in === 'query' && parameter.required === true)
    .map(({ name, schema }) => `${name}=${((schema as Json).examples as unknown[])[0]}`);
  const content = (operation.requestBody as Json | undefined)?.content as Record<string, Json>;
  const example = content?.['application/json']?.example;
  const words = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $VC_API_KEY"`,
    ...(example === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(example)}'`]),
    ...(content?.['application/octet-stream'] === undefined ? [] : ['--data-binary @file']),
    `"${String(server?.url)}${path}${query.length === 0 ? '' : `?${query.join('&')}`}"`,
  ];
  return html`<pre>${words.join(' \\\n  ')}</pre>`;
}
