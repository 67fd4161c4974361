// Uses the HTTP interface with types that openapi-typescript makes from the OpenAPI document:
//
//   npx openapi-typescript http://127.0.0.1:4700/api/openapi.json -o schema.ts --default-non-nullable=false
//
// test/e2e/thorough/docker/examples/openapi.test.ts compiles and runs it.
import { writeFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type Computer = components['schemas']['Computer'];

const { VC_BASE_URL = 'http://127.0.0.1:4700/api', VC_API_KEY = '' } = process.env;
const project = `openapi-${process.pid}`;
const client = createClient<paths, 'application/json'>({
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

/** Reads events until one says that a computer runs. */
async function untilRunning(events: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of events) {
    text += decoder.decode(chunk, { stream: true });
    const running = text.split('\n').find((line) => line.includes('"status":"running"'));
    if (running !== undefined && text.endsWith('\n')) return running.slice('data: '.length);
  }
  return undefined;
}

answer(await client.POST('/projects', { body: { name: project } }));
try {
  const events = answer(
    await client.GET('/events', {
      params: { query: { project, types: ['computer.status'] } },
      parseAs: 'stream',
    }),
  );
  const seen = untilRunning(events as unknown as ReadableStream<Uint8Array>);

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

  const missing = await client.GET('/computers/{id}', { params: { path: { id: 'cmp_none' } } });
  const result = {
    status: computer.status,
    size: written.size,
    ...{ stdout, exit_code },
    event: JSON.parse((await seen) ?? '{}').id === computer.id,
    missing: missing.error?.error,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  await client.DELETE('/projects/{project}', { params: { path: { project } } });
}
