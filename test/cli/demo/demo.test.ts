import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shellLine } from '../../../src/cli/demo/steps.js';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import type { Received } from '../support/fake-service.js';
import { computer, openWorld, project, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.onProcess((_, socket) => {
    socket.send(Buffer.from('\u0001Linux\n'));
    socket.send('{"type": "exit", "code": 0, "signal": null}');
    socket.close();
  });
  world.service.handleOthers((request, response) => {
    if (request.url.includes('/screenshot')) {
      return response.writeHead(200, { 'content-type': 'image/png' }).end('the picture');
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(answer(request)));
  });
});
afterEach(() => world.close());

function answer({ method, url, body }: Received): unknown {
  if (url === '/api/me') return { running: 0, max_running: 2 };
  if (url === '/api/projects') return { ...project, ...(body as object) };
  if (method === 'POST' && url.endsWith('/computers')) return computer;
  return { success: true };
}

const asked = () => world.service.received.map(({ method, url }) => `${method} ${url}`);
/** The printed commands, without the `$`. */
const commandsIn = (stderr: string) =>
  [...stderr.matchAll(/^ {2}\$ (vc .*)$/gm)].map(([, line]) => line ?? '');

test('the demo prints every command, saves the screenshot and removes the project', async () => {
  const { code, stdout, stderr } = await world.run(['demo']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  const lines = commandsIn(stderr);
  const name = /^vc project create (demo-[0-9a-f]{6})$/.exec(lines[0] ?? '')?.[1];
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toBe(`vc project rm ${name} --yes`);
  // One request per command, after the check of the service.
  expect(asked()).toHaveLength(11);
  expect(asked().at(-1)).toBe(`DELETE /api/projects/${name}`);
  const file = /screenshot: (\S+\.png)/.exec(stderr)?.[1] ?? '';
  expect(await readFile(join(world.directory, file), 'utf8')).toBe('the picture');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
  expect(stderr).not.toMatch(/[\x00-\x08\x0b-\x1f]/);
});

test('the demo does not start at the limit of running computers', async () => {
  world.service.on('GET /me', { running: 2, max_running: 2 });
  const { code, stderr } = await world.run(['demo']);
  expect(code).toBe(6);
  expect(stderr).toContain('the limit of 2 running computers is reached');
  expect(stderr).toContain('vc stop');
  expect(asked()).toEqual(['GET /api/me']);
});

test('--json prints one document and nothing else', async () => {
  const { stdout, stderr } = await world.run(['demo', '--json']);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    computer: expect.stringMatching(/^demo-[0-9a-f]{6}\/desktop$/),
    file: expect.stringMatching(/\.png$/),
  });
});

test('--keep keeps the computer and prints how to remove it', async () => {
  const { stderr } = await world.run(['demo', '--keep']);
  expect(asked().filter((line) => line.startsWith('DELETE'))).toEqual([]);
  expect(stderr).toMatch(/to remove it: vc project rm demo-/);
});

test('Ctrl-C ends the demo with 130 and cleans up', async () => {
  const interrupts = new Interrupts();
  world.service.handleOthers((request, response) => {
    if (request.url.endsWith('/type')) return interrupts.trigger('SIGINT');
    return response.end(JSON.stringify(answer(request)));
  });
  const { code, stderr } = await world.run(['demo'], { interrupts });
  expect(code).toBe(130);
  expect(asked().at(-1)).toMatch(/^DELETE \/api\/projects\/demo-/);
  expect(stderr).toMatch(/\nremoved project demo-/);
});

test('a failed step ends the demo with its exit code and cleans up', async () => {
  const create = /\/computers$/;
  world.service.handleOthers((request, response) => {
    if (!create.test(request.url)) return response.end(JSON.stringify(answer(request)));
    response.writeHead(400, { 'x-error-code': 'limit_reached', 'x-request-id': 'r' });
    return response.end('{"error":"Two computers run already."}');
  });
  const { code, stderr } = await world.run(['demo']);
  expect(code).toBe(6);
  expect(stderr).toContain('error: Two computers run already.');
  expect(asked().at(-1)).toMatch(/^DELETE /);
});

test('without a service the demo only prints how to start one', async () => {
  const env = { VC_BASE_URL: 'http://127.0.0.1:1/api' };
  const { code, stderr } = await world.run(['demo'], { env });
  expect(code).toBe(7);
  expect(stderr).toMatch(
    /^error: cannot reach the service .*\n {7}start it: vc serve --detach --listen 127.*\n$/,
  );
});

test('the printed commands are quoted for a shell', () => {
  expect(shellLine(['a', 'b c', "it's", '--x=1', ''])).toBe("vc a 'b c' 'it'\\''s' --x=1 ''");
  expect(shellLine(["a\nb'\\"])).toBe("vc $'a\\nb\\'\\\\'");
});
