import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Bench, eventually, openBench, untilRunning } from '../support/e2e.js';
import { freePort, openViewer } from '../support/ingest.js';

/** What is done to projects, keys and computers as a whole, over HTTP and from the command line. */
let bench: Bench;
beforeAll(async () => {
  bench = await openBench(['--allow-private-rtmp']);
});
afterAll(() => bench.close());

const canFork = () => inject('engine') === 'qemu';
const request = (method: string, path: string, body?: object) =>
  bench.service.http(method, path, body);
const call = async (method: string, path: string, body?: object) => {
  const { status, json } = await request(method, path, body);
  expect(status, `${method} ${path}: ${JSON.stringify(json)}`).toBe(200);
  return json;
};
const vc = async (...args: string[]) => {
  const { code, stdout, stderr } = await bench.service.cli(args);
  expect(code, `vc ${args.join(' ')}\n${stderr}`).toBe(0);
  return stdout;
};
const json = async (...args: string[]) => JSON.parse(await vc(...args, '--json'));
const C = () => `/computers/${bench.id}`;

describe('the service', () => {
  it('says what it is and who asks', async () => {
    const { engines } = await call('GET', '/health');
    expect(engines).toContainEqual(expect.objectContaining({ name: inject('engine') }));
    expect((await call('GET', '/openapi.json')).paths['/api/computers/{id}/click']).toBeDefined();
    const me = await call('GET', '/me');
    expect(me).toMatchObject({ running: 1, max_running: 2 });
    expect(await json('whoami')).toMatchObject(me);
    const { checks } = JSON.parse((await bench.service.cli(['doctor', '--json'])).stdout);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'service', status: 'ok' }));
  });

  it('gives out keys that work until they are taken back', async () => {
    const { id, key } = await call('POST', '/keys', { name: 'second' });
    const me = () =>
      fetch(`${bench.service.baseUrl}/me`, { headers: { authorization: `Bearer ${key}` } });
    expect((await me()).status).toBe(200);
    expect((await call('GET', '/keys')).keys).toContainEqual(expect.objectContaining({ id }));
    await call('DELETE', `/keys/${id}`);
    expect((await me()).status).toBe(401);
  });

  it('keeps connections, and never shows their keys', async () => {
    const url = 'rtmp://live.example.com/app';
    await call('POST', '/connections', { name: 'show', url, stream_key: 'hidden-key' });
    const kept = await call('GET', '/connections');
    expect(kept.connections).toMatchObject([{ name: 'show', url, has_stream_key: true }]);
    expect(JSON.stringify(kept)).not.toContain('hidden-key');
    await call('DELETE', '/connections/show');
    expect((await call('GET', '/connections')).connections).toEqual([]);
  });
});

describe('a computer', () => {
  it('changes its name and tells what was done to it', async () => {
    const changed = await call('PATCH', C(), { name: 'renamed', auto_stop_minutes: 600 });
    expect(changed).toMatchObject({ name: 'renamed', auto_stop_minutes: 600 });
    await vc('computer', 'update', 'e2e/renamed', '--name', 'desktop', '--auto-stop', 'never');
    expect(await call('GET', C())).toMatchObject({ name: 'desktop', auto_stop_minutes: null });
    await call('POST', `${C()}/type`, { text: 'nobody may read this' });
    const { actions } = await call('GET', `${C()}/actions`);
    expect(actions[0]).toMatchObject({ action: 'type', outcome: 'ok' });
    expect((await json('computer', 'history', 'e2e/desktop')).actions).toEqual(actions);
    expect(JSON.stringify(actions)).not.toContain('nobody');
  });

  it('takes directories and links', async () => {
    await call('POST', `${C()}/directory`, { path: 'made', mode: '0700' });
    await call('POST', `${C()}/link`, { path: 'made/here', target: '.' });
    expect(await call('GET', `${C()}/entry?path=made`)).toMatchObject({
      type: 'directory',
      mode: '0700',
    });
    expect(await bench.run('readlink made/here')).toBe('.\n');
  });

  it('takes files and gives them back', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256));
    await bench.computer.files.write('over-http', bytes);
    expect(await bench.computer.files.read('over-http')).toEqual(bytes);
    const here = bench.service.directory;
    await vc('computer', 'cp', 'e2e/desktop:over-http', join(here, 'copied'));
    expect(readFileSync(join(here, 'copied'))).toEqual(bytes);
    await vc('computer', 'cp', join(here, 'copied'), 'e2e/desktop:from-here');
    expect(await bench.run('cmp over-http from-here && echo same')).toBe('same\n');
    // A tree asks for directories and links as well.
    await vc('computer', 'cp', 'e2e/desktop:made', join(here, 'tree'));
    await vc('computer', 'cp', join(here, 'tree'), 'e2e/desktop:again');
  });

  it('runs a process with its streams', async () => {
    const process = await bench.computer.process({ argv: ['sh', '-c', 'tr a-z A-Z; exit 3'] });
    process.stderr.resume();
    process.stdin.end('streams');
    let out = '';
    for await (const chunk of process.stdout) out += chunk;
    expect(out).toBe('STREAMS');
    expect(await process.exited).toEqual({ code: 3, signal: null });
  });

  it('is streamed to an ingest, which shows its screen', async () => {
    const cli = ['computer', 'stream'];
    const ways = [
      {
        start: (url: string) => call('POST', `${C()}/stream/start`, { url, fps: 15 }),
        status: async () => (await call('GET', `${C()}/stream/status`)).status,
        stop: () => call('POST', `${C()}/stream/stop`),
      },
      {
        start: (url: string) => vc(...cli, 'start', 'e2e/desktop', '--url', url, '--fps', '15'),
        status: async () => (await vc(...cli, 'status', 'e2e/desktop')).trim(),
        stop: () => vc(...cli, 'stop', 'e2e/desktop'),
      },
    ];
    const shot = async () =>
      sharp(await bench.computer.screenshot({ cursor: true }))
        .removeAlpha()
        .raw()
        .toBuffer();
    for (const { start, status, stop } of ways) {
      const url = `rtmp://127.0.0.1:${await freePort()}/live/x`;
      const viewer = openViewer(url, { width: 1280, height: 800 }, { listen: true });
      try {
        await start(url);
        expect(await status()).toBe('streaming');
        await eventually(async () => difference(viewer.last(), await shot()) < 4, 60_000);
        await stop();
        expect(await status()).toBe('idle');
      } finally {
        await viewer.close();
      }
    }
  });

  it('is filmed', async () => {
    const answer = await fetch(`${bench.service.baseUrl}${C()}/record?duration=1&fps=15`, {
      headers: { authorization: `Bearer ${bench.service.apiKey}` },
    });
    const film = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-type')).toContain('video/mp4');
    expect(film.subarray(4, 8).toString()).toBe('ftyp');
    expect(film.includes('moof')).toBe(true);
  });

  it('has a link to its live view for each who asks', async () => {
    const { url } = await call('POST', `${C()}/view`, { mode: 'view' });
    const other = (await vc('computer', 'view', 'e2e/desktop', '--view-only', '--print')).trim();
    expect(new URL(other).pathname).toBe(new URL(url).pathname);
    expect(other).not.toBe(url);
    expect(await (await fetch(other)).text()).toContain('<title>');
  });

  it('is copied where its engine can, and refuses where it cannot', async () => {
    await bench.run('echo original >kept');
    if (!canFork()) {
      const { status, json: refusal } = await request('POST', `${C()}/fork`, { name: 'copy' });
      expect({ status, error: refusal.error }).toMatchObject({ status: 400 });
      expect(refusal.error).toContain('copied');
      return;
    }
    for (const copy of [
      async () => (await call('POST', `${C()}/fork`, { name: 'copy' })).id,
      async () => (await json('computer', 'fork', 'e2e/desktop', 'copy')).id,
    ]) {
      const id: string = await copy();
      const { stdout } = await call('POST', `/computers/${id}/bash`, { command: 'cat kept' });
      expect(stdout).toBe('original\n');
      await call('DELETE', `/computers/${id}`);
    }
  });
});

describe('a project', () => {
  it('stops and starts what is in it', async () => {
    const status = (name: string) => ({
      success: true,
      computers: [{ id: bench.id, status: name }],
    });
    expect(await call('POST', '/projects/e2e/stop')).toMatchObject(status('stopped'));
    // A machine that boots under emulation takes longer than the request waits for it.
    const started = { success: true, computers: [{ id: bench.id, status: expect.any(String) }] };
    expect(await call('POST', '/projects/e2e/restart')).toMatchObject(started);
    await untilRunning(bench.service, bench.id);
    expect(await call('POST', '/projects/e2e/start')).toMatchObject(status('running'));
  });

  it('is removed by clients that cannot send DELETE', async () => {
    await call('POST', '/projects', { name: 'short-lived' });
    expect(await call('POST', '/projects/short-lived/delete')).toEqual({ success: true });
    expect((await request('GET', '/projects/short-lived')).status).toBe(404);
  });
});

/** Mean difference of a decoded frame from a screenshot, per channel, 0 to 255. */
function difference(frame: Buffer | undefined, shot: Buffer): number {
  if (frame === undefined) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let i = 0; i < shot.length; i++) sum += Math.abs((shot[i] ?? 0) - (frame[i] ?? 0));
  return sum / shot.length;
}
