import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { startService } from '../service.js';

const LIMIT_MS = 600_000;

/**
 * A service of one checkout, started by its launcher `vc`, with a project `bench`, and the requests
 * to it. `by` is the connection to use, or a pool of them.
 */
export async function openSide(name, vc, { flags, env, prefix, prepare }) {
  const all = ['--max-running', '1000', '--log-level', 'warn', ...flags];
  const service = await startService(vc, all, { prepare, variables: env, prefix });
  const limits = { headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS };
  const client = new Client(new URL(service.url).origin, { pipelining: 1, ...limits });
  const authorization = `Bearer ${service.apiKey}`;

  async function send(method, path, body, headers = {}, by = client) {
    const answer = await by.request({
      ...{ method, path: `/api${path}`, body, ...limits },
      headers: { authorization, ...headers },
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode >= 300) throw new Error(`${name}: ${method} ${path}: ${bytes}`);
    return bytes;
  }
  const json = { 'content-type': 'application/json' };
  const call = (method, path, body, by) =>
    send(method, path, body && JSON.stringify(body), body && json, by);
  const screenshot = (id) =>
    send('GET', `/computers/${id}/screenshot`, undefined, { accept: 'image/png' });

  /** Makes a computer with the request, and returns its id when it runs. */
  async function make(path, body, by) {
    let computer = JSON.parse(await call('POST', path, body, by));
    while (computer.status === 'starting') {
      await sleep(100);
      computer = JSON.parse(await call('GET', `/computers/${computer.id}`, undefined, by));
    }
    if (computer.status !== 'running') {
      throw new Error(`${name}: ${computer.name} is ${computer.status}: ${computer.status_reason}`);
    }
    return computer.id;
  }

  const close = async () => {
    // Virtual machines outlive a service.
    await call('DELETE', '/projects/bench').catch((error) => console.error(error));
    await client.destroy();
    await service.close();
  };
  try {
    await call('POST', '/projects', { name: 'bench' });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...{ name, service, authorization, send, call, screenshot, close },
    create: (computer, options, by) =>
      make('/projects/bench/computers', { name: computer, ...options }, by),
    fork: (id, copy) => make(`/computers/${id}/fork`, { name: copy }),
    remove: (id, by) => call('DELETE', `/computers/${id}`, undefined, by),
  };
}
