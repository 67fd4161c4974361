import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../../../src/engines/containers/client.js';
import { dialectOf } from '../../../src/engines/containers/dialect.js';
import { changedFiles } from '../../../src/engines/containers/saved/layer-files.js';
import { connectDocker } from '../../../src/engines/docker/client.js';

/** A client of an Engine that answers every request with `{}`, and what it was sent. */
async function answering() {
  const directory = mkdtempSync(join(tmpdir(), 'vc-engine-'));
  const socketPath = join(directory, 'docker.sock');
  const sent: [string | undefined, object][] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    sent.push([request.url, text === '' ? {} : JSON.parse(text)]);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { docker: connectDocker({ socketPath }), sent };
}

const SPEC = { name: 'vc-m1', bridge: 'vcab12', subnet: '10.213.0.4/30', labels: { a: 'b' } };

it('names no version of the API, of which each Engine refuses others', async () => {
  const { docker, sent } = await answering();
  await ask(docker, 5_000, undefined, () => docker.listContainers());
  await ask(docker, 5_000, undefined, () => docker.getImage('linux').inspect());
  await ask(docker, 5_000, undefined, (signal) =>
    dialectOf(docker).createNetwork(docker, SPEC, signal),
  );
  expect(sent.map(([url]) => url?.split('?')[0])).toEqual([
    '/containers/json',
    '/images/linux/json',
    '/networks/create',
  ]);
});

it('makes networks with the MTU that is given', async () => {
  const { docker, sent } = await answering();
  for (const mtu of [undefined, 1400]) {
    await ask(docker, 5_000, undefined, (signal) =>
      dialectOf(docker).createNetwork(docker, { ...SPEC, mtu }, signal),
    );
  }
  const options = sent.map(([, body]) => Object.entries((body as { Options: object }).Options));
  expect(options[0]?.flat()).not.toContain('com.docker.network.driver.mtu');
  expect(options[1]).toContainEqual(['com.docker.network.driver.mtu', '1400']);
});

it('knows no directory of changed files with the image store of containerd', async () => {
  const { docker } = await answering();
  for (const GraphDriver of [undefined, null, { Name: 'overlayfs', Data: null }]) {
    const found = { GraphDriver } as unknown as Docker.ContainerInspectInfo;
    expect(await changedFiles(docker, found)).toBeUndefined();
  }
});
