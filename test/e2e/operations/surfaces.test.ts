// @module-tag slow
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { verifyWebhook } from '../../../src/client/index.js';
import { askAtHost, cookieOf } from '../../support/client/at-host.js';
import { eventually } from '../../support/eventually.js';
import { fill, type Route, UPGRADE } from '../../support/routes.js';
import { promise } from '../../support/run/promise.js';
import { isThorough } from '../../support/run/tiers.js';
import { freePort, openViewer } from '../../support/screen/ingest.js';
import { type Desktop, openDesktop, untilRunning } from '../../support/service/desktop.js';
import {
  type Names,
  ofOthers,
  swapped,
  validRequest,
  withoutNames,
} from '../../support/service/other-owner.js';
import type { Json } from '../../support/service/service.js';

const VC = new URL('../../../bin/vc.js', import.meta.url).pathname;

/** Operations on projects, keys and whole computers, over HTTP and from the command line. */
let desktop: Desktop;
beforeAll(async () => {
  desktop = await openDesktop();
});
afterAll(() => desktop.close());

const request = (method: string, path: string, body?: object) =>
  desktop.service.http(method, path, body);
const call = async (method: string, path: string, body?: object) => {
  const { status, json } = await request(method, path, body);
  expect(status, `${method} ${path}: ${JSON.stringify(json)}`).toBe(200);
  return json;
};
const vc = async (...args: string[]) => {
  const { code, stdout, stderr } = await desktop.service.cli(args);
  expect(code, `vc ${args.join(' ')}\n${stderr}`).toBe(0);
  return stdout;
};
const json = async (...args: string[]) => JSON.parse(await vc(...args, '--json'));
const C = () => `/computers/${desktop.id}`;

/** The message of a webhook as the Python client verifies and parses it. */
function verifiedInPython(body: string, headers: IncomingHttpHeaders, secret: string): unknown {
  const program =
    'import json, sys; from virtual_computers import verify_webhook; print(json.dumps(verify_webhook(*json.load(sys.stdin))))';
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', program], {
    env: {
      ...process.env,
      PYTHONPATH: new URL('../../../clients/python', import.meta.url).pathname,
    },
    input: JSON.stringify([body, headers, secret]),
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('the service', () => {
  it('describes itself and the caller', async () => {
    const { engines } = await call('GET', '/health');
    expect(engines).toContainEqual(expect.objectContaining({ name: inject('engine') }));
    expect((await call('GET', '/openapi.json')).paths['/computers/{id}/click']).toBeDefined();
    const { images } = await call('GET', '/images');
    expect(images).toContainEqual(
      expect.objectContaining({ name: 'linux', engine: inject('engine') }),
    );
    const members = await request('GET', '/cluster/members');
    if (inject('engine') === 'incus') {
      const [member] = members.json.members;
      expect(member).toMatchObject({ status: 'online', engine: 'incus', cpu: expect.any(Number) });
      expect(await json('cluster', 'get', member.name)).toMatchObject({ name: member.name });
    } else {
      const changes = ['drain', 'return'].map((verb) =>
        request('POST', `/cluster/members/any/${verb}`, {}),
      );
      for (const { status, json } of [members, ...(await Promise.all(changes))]) {
        expect(status).toBe(400);
        expect(json.error).toContain('This service has no cluster');
      }
    }
    const me = await call('GET', '/me');
    expect(me).toMatchObject({ running: expect.any(Number), max_running: 100 });
    expect(await json('whoami')).toMatchObject({ user_id: me.user_id, max_running: 100 });
    const { checks } = JSON.parse((await desktop.service.cli(['doctor', '--json'])).stdout);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'service', status: 'ok' }));
  });

  it('follows all computers, with small pictures', async () => {
    const base = desktop.service.baseUrl;
    const headers = { authorization: `Bearer ${desktop.service.apiKey}` };
    const socket = new WebSocket(`${base.replace('http', 'ws')}/wall`, { headers });
    const list = await new Promise<Json>((resolve, reject) => {
      socket.once('message', (data: Buffer) => resolve(JSON.parse(String(data))));
      socket.once('error', reject);
    });
    socket.terminate();
    expect(list.computers).toContainEqual(expect.objectContaining({ id: desktop.id }));
    const picture = await fetch(`${base}${C()}/thumbnail?width=320`, { headers });
    const { format, width } = await sharp(Buffer.from(await picture.arrayBuffer())).metadata();
    expect({ format, width }).toEqual({ format: 'jpeg', width: 320 });
  });

  it('shows what was used', async () => {
    const { days, now } = await call('GET', '/usage?days=1');
    expect(days[0]).toMatchObject({ actions: expect.any(Number), bytes: expect.any(Number) });
    expect(now.running).toBeGreaterThan(0);
  });

  it('gives one key control, and back', async () => {
    expect(await call('POST', `${C()}/control`)).toMatchObject({ is_mine: true });
    expect((await call('GET', C())).control.holder.session).toBe(false);
    expect(await call('DELETE', `${C()}/control`)).toEqual({ success: true });
    expect(await call('GET', `${C()}/control`)).toEqual({ control: null, is_mine: false });
  });

  it('records actions', async () => {
    expect(await call('POST', `${C()}/trajectory`, {})).toMatchObject({ status: 'recording' });
    await call('POST', `${C()}/move`, { x: 7, y: 7 });
    const { status, steps } = await call('POST', `${C()}/trajectory/end`);
    expect({ status, steps }).toEqual({ status: 'ended', steps: 1 });
    const listed = await call('GET', `${C()}/trajectory/steps`);
    expect(listed.steps).toMatchObject([{ action: { action: 'move', x: 7, y: 7 }, outcome: 'ok' }]);
    const headers = { authorization: `Bearer ${desktop.service.apiKey}` };
    const at = `${desktop.service.baseUrl}${C()}/trajectory/${listed.steps[0].before}`;
    const picture = await fetch(at, { headers });
    expect((await sharp(Buffer.from(await picture.arrayBuffer())).metadata()).width).toBe(1280);
    expect(await call('GET', `${C()}/trajectory`)).toMatchObject({ end_reason: 'request' });
    expect(await call('DELETE', `${C()}/trajectory`)).toEqual({ success: true });
  });

  it('opens a session of the web page', async () => {
    const base = desktop.service.baseUrl;
    const { token, url } = await call('POST', '/logins');
    const { origin } = new URL(url);
    const headers = { origin, 'content-type': 'application/json', 'x-vc-page': '1' };
    const opened = await askAtHost(`${base}/sessions`, 'POST', headers, { login: token });
    const session = { ...headers, cookie: cookieOf(opened) };
    const asked = await askAtHost(`${base}/sessions/current`, 'GET', session);
    expect(asked.json).toMatchObject({ key: { rights: 'manage' } });
    const ended = await askAtHost(`${base}/sessions/current`, 'DELETE', session);
    expect(ended.json).toEqual({ success: true });
  });

  it('creates and lists computers without a project in the path', async () => {
    const body = { project: desktop.project, name: 'elsewhere' };
    const { id } = await call('POST', '/computers?wait=0', body);
    const { computers } = await call('GET', '/computers?limit=1000');
    expect(computers).toContainEqual(expect.objectContaining({ id, name: 'elsewhere' }));
    expect(await vc('ls', '--all', '-q')).toContain(id);
    await call('DELETE', `/computers/${id}`);
  });

  it('streams events', async () => {
    const filter = { project: desktop.project, types: ['action'] } as const;
    const argv = [VC, 'events', '-p', desktop.project, '--type', 'action'];
    const child = spawn(process.execPath, argv, { env: desktop.service.env });
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const moving = eventually(async () => {
      await call('POST', `${C()}/move`, { x: 5, y: 5 });
      return /\taction\t\S+\/desktop\tmove ok /.test(stdout);
    });
    for await (const event of desktop.service.vc.events(filter)) {
      // The action of the test before may be written late.
      if (!('action' in event) || event.action !== 'move') continue;
      expect(event).toMatchObject({ computer: 'desktop', detail: { x: 5, y: 5 } });
      break;
    }
    await moving;
    child.kill('SIGINT');
    expect(await exited).toBe(0);
  });

  it('creates keys that work until they are revoked', async () => {
    const { id, key } = await call('POST', '/keys', { name: 'second' });
    const me = () =>
      fetch(`${desktop.service.baseUrl}/me`, { headers: { authorization: `Bearer ${key}` } });
    expect((await me()).status).toBe(200);
    expect((await call('GET', '/keys')).keys).toContainEqual(expect.objectContaining({ id }));
    expect(await call('PATCH', `/keys/${id}`, { rights: 'look' })).toMatchObject({
      rights: 'look',
    });
    await call('DELETE', `/keys/${id}`);
    expect((await me()).status).toBe(401);
  });

  it('has owners with separate keys, limits and resources', async () => {
    const name = `${desktop.project}-owner`;
    const created = await call('POST', '/owners', { name, max_running: 3 });
    expect(created).toMatchObject({ name, role: 'member', max_running: 3, running: 0 });
    const asOwner = async (key: string, path: string) => {
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${desktop.service.baseUrl}${path}`, { headers });
      return { status: response.status, json: (await response.json()) as Json };
    };
    const { key } = created.key;
    expect((await asOwner(key, '/me')).json).toMatchObject({ name, max_running: 3 });
    expect((await asOwner(key, C())).status).toBe(404);
    expect((await asOwner(key, '/owners')).status).toBe(404);
    expect((await asOwner(key, '/projects')).json).toEqual({ projects: [] });
    expect(await call('PATCH', `/owners/${name}`, { max_running: null })).toMatchObject({
      max_running: null,
    });
    expect((await call('GET', '/owners')).owners).toContainEqual(await json('owner', 'get', name));
    const second = await call('POST', `/owners/${name}/keys`, { name: 'second' });
    expect((await asOwner(second.key, '/keys')).json.keys).toHaveLength(2);
    expect(await call('GET', `/owners/${created.id}`)).toMatchObject({ name });
    await call('DELETE', `/owners/${name}`);
    expect((await asOwner(second.key, '/me')).status).toBe(401);
    const { entries } = await call('GET', `/owners/${created.id}/audit`);
    expect(entries.map((entry: { action: string }) => entry.action)).toEqual([
      ...['deleteOwner', 'createOwnerKey', 'updateOwner', 'createOwner'],
    ]);
    expect((await json('audit', '--owner', created.id)).entries).toEqual(entries);
  });

  promise(4, "another owner's computer answers exactly like a missing one", async (report) => {
    const { key } = await call('POST', '/owners', { name: `${desktop.project}-stranger` });
    const [computer, project] = ['desktop', desktop.project];
    const names = {
      computer,
      project,
      name: `target${process.pid}`,
      owner: 'none',
      job: 'job_a',
    };
    await call('POST', '/connections', {
      ...{ name: names.name, url: 'rtmp://live.example.com/app', stream_key: 'hidden-key' },
    });
    const theirs = { ...names, id: desktop.id, key: (await call('GET', '/keys')).keys[0].id };
    const missing = { ...swapped(theirs), owner: 'none', job: 'job_a' };
    for (const route of ofOthers) {
      const answers = [theirs, missing].map((of) => askAs(key.key, route, of));
      const [theirsAnswer, missingAnswer] = await Promise.all(answers);
      const seen = [theirsAnswer, missingAnswer].map((answer) =>
        withoutNames(JSON.stringify(answer), theirs, missing),
      );
      expect(theirsAnswer?.status, `${route.method} ${route.path}`).toBe(404);
      expect(seen[0], `${route.method} ${route.path}`).toBe(seen[1]);
    }
    expect(await call('GET', C())).toMatchObject({ status: 'running', name: 'desktop' });
    await call('DELETE', `/connections/${names.name}`);
    await call('DELETE', `/owners/${desktop.project}-stranger`);
    report(`${ofOthers.length} routes`);
  });

  it('posts events to webhooks until they are taken, signed for both clients', async () => {
    const received: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
    let name = '';
    const target = createServer(async (sent, answer) => {
      const body = await text(sent);
      // Other tests change projects of their own.
      if (/"type":"(project|job)\./.test(body) && !body.includes(`"${name}"`))
        return answer.writeHead(204).end();
      received.push({ headers: sent.headers, body });
      answer.writeHead(received.length < 3 ? 503 : 204).end();
    }).listen(0, '127.0.0.1');
    await once(target, 'listening');
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
    const { id, secret } = await json('webhook', 'create', url, '--event', 'project.*');
    name = id;
    const project = await call('POST', '/projects', { name });
    const delivery = await eventually(async () => {
      const { deliveries } = await call('GET', `/webhooks/${id}/deliveries`);
      return deliveries.find(
        ({ status, id }: Json) =>
          status === 'delivered' && received.some(({ headers }) => headers['webhook-id'] === id),
      );
    });
    expect(delivery).toMatchObject({ attempts: 3, status_code: 204 });
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([delivery.id]),
    );
    const { headers, body } = received[2] ?? { headers: {}, body: '' };
    const message = await verifyWebhook(body, headers, secret);
    expect(message.data).toMatchObject({ type: 'project.created', id: project.id });
    expect(verifiedInPython(body, headers, secret)).toEqual(message);
    await expect(verifyWebhook(`${body} `, headers, secret)).rejects.toThrow('signature');
    expect(() => verifiedInPython(`${body} `, headers, secret)).toThrow(/WebhookVerificationError/);
    expect((await json('webhook', 'ls')).webhooks).toContainEqual(await json('webhook', 'get', id));
    await vc('webhook', 'test', id);
    expect(await vc('webhook', 'deliveries', id)).toMatch(/\ttest\tdelivered\t204\t1\t/);
    await vc('webhook', 'rm', id, '--yes');
    const other = await call('POST', '/webhooks', { url, events: ['job.exited'] });
    const shown = await call('GET', `/webhooks/${other.id}`);
    expect((await call('GET', '/webhooks')).webhooks).toContainEqual(shown);
    const tested = await call('POST', `/webhooks/${other.id}/test`);
    expect(tested).toMatchObject({ status: 'delivered', attempts: 1 });
    await call('DELETE', `/webhooks/${other.id}`);
    await call('DELETE', `/projects/${project.id}`);
    target.close();
    expect(received).toHaveLength(5);
  });

  it('keeps connections and never shows their keys', async () => {
    const url = 'rtmp://live.example.com/app';
    const { name } = await call('POST', '/connections', {
      name: desktop.project,
      url,
      stream_key: 'hidden-key',
    });
    const kept = await call('GET', '/connections');
    const connection = expect.objectContaining({ name, url, has_stream_key: true });
    expect(kept.connections).toContainEqual(connection);
    expect(JSON.stringify(kept)).not.toContain('hidden-key');
    await call('DELETE', `/connections/${name}`);
    expect((await call('GET', '/connections')).connections).not.toContainEqual(connection);
  });
});

describe('a computer', () => {
  it('types secrets of its project, which are not shown', async () => {
    const path = `/projects/${desktop.project}/secrets`;
    const secret = await call('PUT', `${path}/PIN`, { value: 'hidden-value' });
    expect(await call('GET', path)).toEqual({ secrets: [secret] });
    expect((await json('secret', 'ls', '-p', desktop.project)).secrets).toEqual([secret]);
    await call('POST', `${C()}/type`, { text: '{{secret:PIN}}', secrets: ['PIN'] });
    await desktop.computer.type('{{secret:PIN}}', { secrets: ['PIN'] });
    expect((await request('POST', `${C()}/type`, { text: '{{secret:PIN}}' })).status).toBe(400);
    expect(JSON.stringify(await call('GET', `${C()}/actions`))).not.toContain('hidden-value');
    await call('DELETE', `${path}/PIN`);
    expect(await call('GET', path)).toEqual({ secrets: [] });
  });

  it('is used by a model in the shape of its vendor', async () => {
    const { tools } = await call('GET', `${C()}/computer-use?dialect=anthropic`);
    expect(tools[0]).toEqual({ type: 'computer_toolset_20260801' });
    const items = [
      {
        ...{ type: 'tool_use', id: 'toolu_1', name: 'mouse_move', toolset_name: 'computer' },
        input: { coordinate: [30, 40] },
      },
    ];
    const { success, results } = await call('POST', `${C()}/computer-use`, { items });
    expect([success, results[0].tool_use_id]).toEqual([true, 'toolu_1']);
  });

  it('lists and finds the elements on its screen', async () => {
    const { elements } = await call('GET', `${C()}/elements?limit=50`);
    const { name } = elements.find(({ role }: Json) => role === 'button');
    const found = await call('POST', `${C()}/find`, { role: 'button', name });
    expect(found.elements[0]).toMatchObject({ role: 'button', name, box: expect.any(Array) });
  });

  it('changes its name and lists its actions', async () => {
    const changed = await call('PATCH', C(), { name: 'renamed', auto_stop_minutes: 600 });
    expect(changed).toMatchObject({ name: 'renamed', auto_stop_minutes: 600 });
    await vc(
      'computer',
      'update',
      `${desktop.project}/renamed`,
      '--name',
      'desktop',
      '--auto-stop',
      'never',
    );
    expect(await call('GET', C())).toMatchObject({ name: 'desktop', auto_stop_minutes: null });
    await call('POST', `${C()}/type`, { text: 'nobody may read this' });
    const { actions } = await call('GET', `${C()}/actions`);
    expect(actions[0]).toMatchObject({ action: 'type', outcome: 'ok' });
    expect((await json('computer', 'history', desktop.name)).actions).toEqual(actions);
    expect(JSON.stringify(actions)).not.toContain('nobody');
    const { entries } = await call('GET', '/audit?limit=1000');
    const computer = { computer_id: expect.any(String), computer_name: 'desktop' };
    expect(entries).toContainEqual({ ...actions[0], ...computer });
  });

  it('shows what it may reach', async () => {
    const report = { network: 'internet', refused: [] };
    expect(await call('GET', `${C()}/network`)).toEqual(report);
    expect(await json('computer', 'network', desktop.name)).toEqual(report);
  });

  it('shows its resource usage', async () => {
    const before = await call('GET', `${C()}/stats`);
    // Uses two seconds of processor time.
    await desktop.computer.bash("ulimit -t 2; exec sh -c 'while :; do :; done'");
    await desktop.run('head -c 8000000 /dev/urandom >~/noise; sync');
    const after = await json('computer', 'stats', desktop.name);
    const [{ name, ...used }] = after.computers;
    expect(name).toBe(desktop.name);
    expect(used.cpu_seconds - before.cpu_seconds).toBeGreaterThan(1);
    expect(used.cpu_percent).toBeGreaterThan(0);
    expect(used.memory_total_bytes).toBe(2 ** 31);
    expect(used.memory_used_bytes).toBeGreaterThan(2 ** 25);
    expect(used.memory_used_bytes).toBeLessThan(2 ** 32);
    expect(used.disk_used_bytes - before.disk_used_bytes).toBeGreaterThan(4e6);
    await desktop.run('rm ~/noise');
    // The service measures every 30 seconds.
    const sample = await eventually(
      async () => (await call('GET', `${C()}/stats/history`)).samples.at(-1),
      40_000,
      1_000,
    );
    expect(sample.memory_used_bytes).toBeGreaterThan(2 ** 25);
    const { computers } = await call('GET', '/stats/history');
    expect(computers.map(({ id }: { id: string }) => id)).toContain(after.computers[0].id);
    const { actions } = await call('GET', `${C()}/actions`);
    expect(actions).not.toContainEqual(expect.objectContaining({ action: 'getStats' }));
  });

  it('shares its clipboard over HTTP, the client and the command line', async () => {
    const at = `${C()}/clipboard`;
    await call('PUT', at, { text: 'für Sie: 世界 👍\n' });
    expect(await call('GET', at)).toEqual({ text: 'für Sie: 世界 👍\n' });
    const xclip = 'timeout 10 xclip -selection clipboard';
    expect(await desktop.run(`${xclip} -o`)).toBe('für Sie: 世界 👍\n');
    await desktop.run(`printf 'von drinnen: 你好' | ${xclip} >/dev/null 2>&1`);
    await eventually(async () => (await vc('clipboard', desktop.name)) === 'von drinnen: 你好');
    expect(await desktop.computer.clipboard()).toBe('von drinnen: 你好');
    await vc('clipboard', desktop.name, 'set', '');
    expect(await json('clipboard', desktop.name)).toEqual({ text: '' });
    for (const body of [{}, { text: 1 }, { text: 'a\0b' }, { text: 'x'.repeat(250_001) }]) {
      expect((await request('PUT', at, body)).status).toBe(400);
    }
    const { actions } = await call('GET', `${C()}/actions?limit=10`);
    expect(JSON.stringify(actions)).not.toMatch(/世界|drinnen/);
  });

  it('publishes a port', async () => {
    const { link } = await call('POST', `${C()}/publications`, { port: 8000, expires_in: 60 });
    expect(link).toMatch(/^http:\/\/8000-desktop-\w{26}\.localhost:\d+\/\?vc_ticket=vt_\w{32}$/);
    const { publications } = await call('GET', '/publications');
    expect(publications).toContainEqual(expect.objectContaining({ url: link.split('?')[0] }));
    await call('DELETE', `${C()}/publications/8000`);
  });

  it('shows runs with the pictures of their tasks', async () => {
    const { id } = await call('POST', '/runs', { name: 'office', tasks: ['write'] });
    const picture = '/9j/4AAQ';
    await call('PUT', `/runs/${id}/tasks/write`, { status: 'passed', seconds: 2, picture });
    const run = await call('GET', `/runs/${id}`);
    expect(run).toMatchObject({
      ...{ id, name: 'office' },
      tasks: [{ name: 'write', status: 'passed', has_picture: true }],
    });
    expect((await call('GET', '/runs')).runs).toContainEqual(run);
    const { baseUrl, apiKey } = desktop.service;
    const shown = await fetch(`${baseUrl}/runs/${id}/tasks/write/picture`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(Buffer.from(await shown.arrayBuffer()).toString('base64')).toBe(picture);
  });

  it('creates, renames and removes directories and links', async () => {
    await call('POST', `${C()}/directory`, { path: 'made', mode: '0700' });
    await call('POST', `${C()}/link`, { path: 'made/here', target: '.' });
    expect(await call('GET', `${C()}/entry?path=made`)).toMatchObject({
      type: 'directory',
      mode: '0700',
    });
    const { entries } = await call('GET', `${C()}/directory?path=made`);
    expect(entries).toMatchObject([{ name: 'here', type: 'link' }]);
    expect(await desktop.run('readlink made/here')).toBe('.\n');
    await call('POST', `${C()}/rename`, { path: 'made/here', new_path: 'made/there' });
    expect(await desktop.run('ls made')).toBe('there\n');
    await call('POST', `${C()}/directory`, { path: 'made/a/b', recursive: true });
    await call('DELETE', `${C()}/entry?path=made/a&recursive=1`);
    expect(await desktop.run('ls made')).toBe('there\n');
  });

  it('stores and returns files', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256));
    await desktop.computer.files.write('over-http', bytes);
    expect(await desktop.computer.files.read('over-http')).toEqual(bytes);
    const here = desktop.service.directory;
    await vc('computer', 'cp', `${desktop.name}:over-http`, join(here, 'copied'));
    expect(readFileSync(join(here, 'copied'))).toEqual(bytes);
    await vc('computer', 'cp', join(here, 'copied'), `${desktop.name}:from-here`);
    expect(await desktop.run('cmp over-http from-here && echo same')).toBe('same\n');
    // A recursive copy also requests directories and links.
    await vc('computer', 'cp', `${desktop.name}:made`, join(here, 'tree'));
    await vc('computer', 'cp', join(here, 'tree'), `${desktop.name}:again`);
  });

  it('runs a process with its streams', async () => {
    const process = await desktop.computer.process({ argv: ['sh', '-c', 'tr a-z A-Z; exit 3'] });
    const input = process.stdin.getWriter();
    await input.write('streams');
    await input.close();
    const out = await new Response(process.stdout).text();
    expect(out).toBe('STREAMS');
    expect(await process.exited).toEqual({ code: 3, signal: null, timedOut: false });
  });

  it('is streamed to an RTMP server', async () => {
    const cli = ['computer', 'stream'];
    const ways = [
      {
        start: (url: string) => call('POST', `${C()}/stream/start`, { url, fps: 15 }),
        status: async () => (await call('GET', `${C()}/stream/status`)).status,
        stop: () => call('POST', `${C()}/stream/stop`),
      },
      {
        start: (url: string) => vc(...cli, 'start', desktop.name, '--url', url, '--fps', '15'),
        status: async () => (await vc(...cli, 'status', desktop.name)).trim(),
        stop: () => vc(...cli, 'stop', desktop.name),
      },
    ];
    const shot = async () =>
      sharp(await desktop.computer.screenshot({ cursor: true }))
        .removeAlpha()
        .raw()
        .toBuffer();
    // The commands are the same on every engine.
    const both = isThorough || inject('engine') === 'docker';
    for (const { start, status, stop } of both ? ways : ways.slice(0, 1)) {
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

  it('streams the output of a command, and answers parts of a file', async () => {
    const authorization = `Bearer ${desktop.service.apiKey}`;
    const url = `${desktop.service.baseUrl}${C()}`;
    const streamed = await fetch(`${url}/bash`, {
      method: 'POST',
      headers: {
        ...{ authorization, accept: 'application/x-ndjson' },
        'content-type': 'application/json',
      },
      body: JSON.stringify({ command: 'echo one; printf 0123456789 >digits; exit 3' }),
    });
    expect(
      (await streamed.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { type: 'stdout', data: 'one\n' },
      { type: 'exit', success: true, exit_code: 3, timed_out: false },
    ]);
    const part = await desktop.service.vc.computer({ id: desktop.id }).files.read('digits', {
      ...{ start: 3, end: 6 },
    });
    expect(part.toString()).toBe('345');
  });

  it('is recorded', async () => {
    const answer = await fetch(`${desktop.service.baseUrl}${C()}/record?duration=1&fps=15`, {
      headers: { authorization: `Bearer ${desktop.service.apiKey}` },
    });
    const film = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-type')).toContain('video/mp4');
    expect(film.subarray(4, 8).toString()).toBe('ftyp');
    expect(film.includes('moof')).toBe(true);
  });

  it('has a new live-view link for each request', async () => {
    const { url } = await call('POST', `${C()}/view`, { mode: 'view' });
    const other = (await vc('computer', 'view', desktop.name, '--view-only', '--print')).trim();
    expect(new URL(other).pathname).toBe(new URL(url).pathname);
    expect(other).not.toBe(url);
    const page = new URL(new URL(other).pathname, desktop.service.baseUrl);
    expect(await (await fetch(page)).text()).toContain('<title>');
  });
});

describe('a project', () => {
  it('is renamed while its computers run', async () => {
    const [old, name] = [desktop.project, `${desktop.project}-renamed`];
    expect(await call('PATCH', `/projects/${old}`, { name })).toMatchObject({ name });
    expect(await call('GET', C())).toMatchObject({ project_name: name, status: 'running' });
    expect(await call('POST', `/projects/${name}/computers/desktop/move`, { x: 7, y: 7 })).toEqual({
      success: true,
    });
    await vc('project', 'rename', name, old);
    expect(await call('GET', `/projects/${old}`)).toMatchObject({
      computers: [{ id: desktop.id }],
    });
  });

  it('stops and starts its computers, which keep their disks', async () => {
    await desktop.run('echo kept >~/kept; sync; (sleep 4321 >/dev/null 2>&1 &)');
    const status = (name: string) => ({
      success: true,
      computers: [{ id: desktop.id, status: name }],
    });
    const { computers } = await call('GET', `/projects/${desktop.project}/computers`);
    expect(computers).toMatchObject([{ id: desktop.id, status: 'running' }]);
    expect(await call('POST', `/projects/${desktop.project}/stop`)).toMatchObject(
      status('stopped'),
    );
    // An emulated machine takes longer to boot than the request waits.
    const started = { success: true, computers: [{ id: desktop.id, status: expect.any(String) }] };
    expect(await call('POST', `/projects/${desktop.project}/restart`)).toMatchObject(started);
    await untilRunning(desktop.service, desktop.id);
    expect(await desktop.run('cat ~/kept; pgrep -f "^sleep 4321" || true')).toBe('kept\n');
    expect(await call('POST', `/projects/${desktop.project}/start`)).toMatchObject(
      status('running'),
    );
  });

  it('is removed by clients that cannot send DELETE', async () => {
    await call('POST', '/projects', { name: `${desktop.project}-2` });
    expect(await call('POST', `/projects/${desktop.project}-2/delete`)).toEqual({ success: true });
    expect((await request('GET', `/projects/${desktop.project}-2`)).status).toBe(404);
  });
});

/** A valid request with another key; the answer without its request id and time. */
async function askAs(key: string, route: Route, names: Names) {
  const [body, query] = validRequest(route);
  const url = new URL(fill(route.path, names) + query, desktop.service.baseUrl);
  const headers = { authorization: `Bearer ${key}`, ...(route.upgrade ? UPGRADE : {}) };
  const asked = httpRequest(url, { method: route.method, headers });
  asked.setHeader('content-type', 'application/json');
  asked.end(typeof body === 'string' || body === undefined ? body : JSON.stringify(body));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const { 'x-request-id': _id, date: _date, ...rest } = answer.headers;
  return { status: answer.statusCode, rest, text: (await answer.toArray()).join('') };
}

/** Mean difference between a decoded frame and a screenshot, per channel, 0 to 255. */
function difference(frame: Buffer | undefined, shot: Buffer): number {
  if (frame === undefined) return Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let i = 0; i < shot.length; i++) sum += Math.abs((shot[i] ?? 0) - (frame[i] ?? 0));
  return sum / shot.length;
}
