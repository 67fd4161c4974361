import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Json } from '../service/service.js';

/** An answer of a model, or how it is made once it is asked for. */
export type ModelAnswer = object | (() => Promise<object>);

export interface ScriptedVendor {
  /** Base address, without a path. */
  readonly url: string;
  /** The requests so far: paths and bodies. */
  readonly asked: Json[];
  readonly paths: string[];
  close(): void;
}

/** A vendor's model on loopback: gives prepared answers, one to each request. */
export async function openScriptedVendor(answers: readonly ModelAnswer[]): Promise<ScriptedVendor> {
  const asked: Json[] = [];
  const paths: string[] = [];
  const left = [...answers];
  const server = createServer(async (request, response) => {
    paths.push(request.url ?? '');
    asked.push(await json(request));
    response.setHeader('content-type', 'application/json');
    const next = left.shift();
    try {
      if (next === undefined) throw new Error('There is no further answer.');
      response.end(JSON.stringify(typeof next === 'function' ? await next() : next));
    } catch (error) {
      response.statusCode = 400;
      response.end(JSON.stringify({ error: { type: 'script', message: String(error) } }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, asked, paths, close: () => server.close() };
}
