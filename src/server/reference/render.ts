import type { OpenApiDocument } from '../../contract/openapi/document.js';
import { exampleOf } from '../../contract/openapi/schemas.js';
import type { Json } from '../../contract/operations/operation.js';
import { fieldRow, fieldTable, typeOf } from './fields.js';
import { Html, html, prose } from './html.js';

/** One operation with every path that it answers under. */
interface Entry {
  readonly id: string;
  readonly method: string;
  readonly paths: readonly string[];
  readonly operation: Json;
}

/** The operations of a document; the forms of a computer's address are one. */
function entriesOf({ paths }: OpenApiDocument): Entry[] {
  const entries = new Map<string, Entry>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const id = String(operation.operationId).replace(/ByName$/, '');
      const entry = entries.get(id) ?? { id, method: method.toUpperCase(), paths: [], operation };
      entries.set(id, { ...entry, paths: [...entry.paths, path] });
    }
  }
  return [...entries.values()];
}

/** Not within a template: bundlers rewrite templates that contain the end tag. */
const SCRIPT = new Html('<script type="module" src="docs/reference.js"></script>');

/** The reference as a page without inline code and styles. */
export function renderReference(document: OpenApiDocument): string {
  const entries = entriesOf(document);
  const tags = (document.tags as Json[]).map(({ name, description }) => ({
    name: String(name),
    description: String(description),
    entries: entries.filter(({ operation }) => (operation.tags as string[])[0] === name),
  }));
  const { title, summary, description, version } = document.info as Record<string, string>;
  const [server] = document.servers as Json[];
  const { schemas } = document.components;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>HTTP interface – ${title}</title>
<link rel="icon" href="docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="docs/reference.css">
${SCRIPT}
</head>
<body>
<nav aria-label="Operations">
<p class="brand"><img src="docs/icon.svg" alt="" width="24" height="24"> ${title} <span>${version}</span></p>
<input id="filter" type="search" placeholder="Filter" aria-label="Filter operations" hidden>
${tags.map(({ name, entries: group }) => html`<section><h2>${name}</h2><ul>${group.map(link)}</ul></section>`)}
<section><h2>Schemas</h2><ul>${Object.keys(schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul></section>
</nav>
<main>
<header><h1>HTTP interface</h1><p class="lead">${summary}</p>${prose(description ?? '')}
<p>Base URL: <code>${String(server?.url)}</code>. This page is made from the <a href="openapi.json">OpenAPI document</a>.</p></header>
${tags.map(
  ({ name, description: text, entries: group }) =>
    html`<section class="tag"><h2>${name}</h2><p>${text}</p>${group.map((entry) => article(entry, document))}</section>`,
)}
<section class="tag"><h2 id="errors">Errors</h2>${Object.entries(document.components.responses as Record<string, Json>).map(errorAnswer)}</section>
<section class="tag"><h2>Schemas</h2>${Object.entries(schemas).map(([name, schema]) => schemaOf(name, schema, schemas))}</section>
</main>
</body>
</html>
`.text;
}

function link({ id, method, operation }: Entry): Html {
  return html`<li><a href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span> ${String(operation.summary)}</a></li>`;
}

function article(entry: Entry, document: OpenApiDocument): Html {
  const { id, method, paths, operation } = entry;
  const parameters = (operation.parameters ?? []) as Json[];
  const responses = operation.responses as Record<string, Json>;
  const [[status, success] = ['', {}], ...others] = Object.entries(responses);
  return html`<article id="${id}">
<h3><a href="#${id}">${String(operation.summary)}</a></h3>
${paths.map((path) => html`<p class="path"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>`)}
${prose(String(operation.description ?? ''))}
${parameters.length === 0 ? html`` : parameterTable(parameters)}
${bodyOf(operation, document)}
<h4>Answer ${status}</h4>
${answerOf(success)}
${others.filter(([, { $ref }]) => $ref === undefined).map(([code, each]) => html`<h4>Answer ${code}</h4><p>${String(each.description)}</p>`)}
${renderRequest(entry, document)}
<p class="errors">Errors: ${others
    .filter(([, { $ref }]) => $ref !== undefined)
    .map(([code, answer]) => html`<a href="#error-${nameOf(answer)}">${code}</a> `)}</p>
</article>`;
}

function parameterTable(parameters: readonly Json[]): Html {
  const rows = parameters.map(({ name, in: where, required, description, schema }) =>
    fieldRow(
      `${where === 'path' ? `{${name}}` : name}`,
      schema as Json,
      required === true,
      String(description),
    ),
  );
  return html`<h4>Parameters</h4><div class="scroll"><table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function bodyOf({ requestBody }: Json, { components }: OpenApiDocument): Html {
  if (requestBody === undefined) return html``;
  const [[type = '', { schema }] = ['', {} as Json]] = Object.entries(
    (requestBody as Json).content as Record<string, Json>,
  );
  const named = components.schemas[nameOf(schema as Json)];
  return html`<h4>Body</h4><p>${type}: ${named === undefined ? 'bytes' : typeOf(schema as Json)}</p>${named === undefined ? html`` : fieldTable(named)}`;
}

function answerOf({ content, description, headers = {} }: Json): Html {
  const types = Object.entries((content ?? {}) as Record<string, { schema: Json }>);
  const own = Object.entries(headers as Record<string, Json>).filter(([, each]) => !each.$ref);
  return html`${types.length === 0 ? html`<p>${String(description)}</p>` : html`<ul>${types.map(([type, { schema }]) => html`<li><code>${type}</code>: ${schema.format === 'binary' ? 'bytes' : typeOf(schema)}</li>`)}</ul>`}${own.length === 0 ? html`` : html`<ul>${own.map(([name, each]) => html`<li>header <code>${name}</code>: ${String(each.description)}</li>`)}</ul>`}`;
}

const nameOf = ({ $ref }: Json) =>
  String($ref ?? '')
    .split('/')
    .at(-1) ?? '';

function errorAnswer([name, answer]: [string, Json]): Html {
  return html`<article id="error-${name}"><h3>${name}</h3>${prose(String(answer.description))}</article>`;
}

function schemaOf(name: string, schema: Json, schemas: Json): Html {
  const example = exampleOf(schema, schemas);
  const forms = schema.properties === undefined ? html`<p>${typeOf(schema)}</p>` : html``;
  return html`<article id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${prose(String(schema.description ?? ''))}${forms}${fieldTable(schema)}<details><summary>Example</summary><pre>${JSON.stringify(example, null, 2)}</pre></details></article>`;
}

/** An example of a request with curl; none for a WebSocket. */
function renderRequest({ method, paths, operation }: Entry, document: OpenApiDocument): Html {
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
