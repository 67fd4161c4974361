// Uses the HTTP interface with types that openapi-typescript makes from the OpenAPI document:
//
//   npx openapi-typescript http://127.0.0.1:4700/api/openapi.json -o schema.ts
//
// test/e2e/docker/openapi-types.test.ts compiles and runs it.
import { writeFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type Computer = components['schemas']['Computer'];

const { VC_BASE_URL = 'http://127.0.0.1:4700/api', VC_API_KEY = '' } = process.env;
const project = `openapi-${process.pid}`;
const client = createClient<paths>({
  baseUrl: VC_BASE_URL,
  headers: { authorization: `Bearer ${VC_API_KEY}` },
});

/** The answer; throws an error with the service's message and the code of its header. */
function answer<T>({
  data,
  error,
  response,
}: {
  data?: T;
  error?: unknown;
  response: Response;
}): T {
  if (data !== undefined) return data;
  const code = response.headers.get('x-error-code');
  throw new Error(`${code}: ${JSON.stringify(error)}`);
}

answer(await client.POST('/projects', { body: { name: project } }));
try {
  const computer: Computer = answer(
    await client.POST('/projects/{project}/computers', {
      params: { path: { project } },
      body: { name: 'desktop', ram: 2, cpu: 2, gpu: 'none' },
    }),
  );
  const path = { id: computer.id };

  const image = answer(
    await client.GET('/computers/{id}/screenshot', {
      params: { path, query: { scale: 0.5, settle: '1' } },
      headers: { accept: 'image/png' },
      parseAs: 'arrayBuffer',
    }),
  );
  await writeFile('screenshot.png', Buffer.from(image));

  const written = answer(
    await client.PUT('/computers/{id}/files', {
      params: { path, query: { path: 'hello.txt', mode: '600' } },
      headers: { 'content-type': 'application/octet-stream' },
      body: 'hello\n',
      bodySerializer: (body) => body,
    }),
  );

  const { stdout, exit_code } = answer(
    await client.POST('/computers/{id}/bash', {
      params: { path },
      body: { command: 'cat hello.txt', timeout: 20, background: false },
    }),
  );

  const events = answer(
    await client.GET('/events', {
      params: { query: { project, types: 'computer.status' }, header: { 'Last-Event-ID': '0' } },
      parseAs: 'stream',
    }),
  );
  const { value } = await (events as ReadableStream<Uint8Array>).getReader().read();

  const missing = await client.GET('/computers/{id}', { params: { path: { id: 'cmp_none' } } });
  const result = {
    status: computer.status,
    size: written.size,
    ...{ stdout, exit_code },
    event: new TextDecoder().decode(value).includes('computer.status'),
    missing: missing.error?.error,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  await client.DELETE('/projects/{project}', { params: { path: { project } } });
}
