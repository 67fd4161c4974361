import { join, resolve } from 'node:path';
import { Client } from 'undici';
import { startService } from '../service.js';
import { startEngine } from './engine.js';
import { buildImage } from './image.js';

const MOST_RUNNING = '1000';

/**
 * A service of one checkout on a Docker Engine of its own, with one running computer. Its Engine has
 * the image of its own recipe, so both sides are what a user of that version has.
 */
export async function openSide(name, checkout, data) {
  const engine = await startEngine(data);
  const vc = join(resolve(checkout), 'bin/vc.js');
  const env = { DOCKER_HOST: engine.host };
  await buildImage(vc, env);
  const flags = ['--engine', 'docker', '--max-running', MOST_RUNNING, '--log-level', 'warn'];
  const service = await startService(flags, undefined, vc, env);
  const client = new Client(new URL(service.url).origin, { pipelining: 1, headersTimeout: 6e5 });
  const authorization = `Bearer ${service.apiKey}`;

  async function send(method, path, body, headers = {}, by = client) {
    const answer = await by.request({
      ...{ method, path: `/api${path}`, body, headersTimeout: 600_000, bodyTimeout: 600_000 },
      headers: { authorization, ...headers },
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode >= 300) throw new Error(`${name}: ${method} ${path}: ${bytes}`);
    return bytes;
  }
  const json = { 'content-type': 'application/json' };
  const call = (method, path, body, by) =>
    send(method, path, body && JSON.stringify(body), body && json, by);
  const create = async (computer, by) =>
    JSON.parse(await call('POST', '/projects/bench/computers', { name: computer }, by)).id;

  await call('POST', '/projects', { name: 'bench' });
  const id = await create('one');
  return {
    ...{ name, engine, service, authorization, id, send, call, create },
    path: `/computers/${id}`,
    container: `vc-${id}`,
    env,
    close: async () => {
      await client.close();
      await service.close();
      await engine.stop();
    },
  };
}
