import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { API_KEY, computer, openWorld, type RunOptions, type World } from '../support/run.js';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  world.service.on('GET /projects', { projects: [{ name: 'demo' }] });
  world.service.on('POST /projects', { name: 'demo' });
});
afterEach(() => world.close());

const api = (words: readonly string[], options?: RunOptions) =>
  world.run(['api', ...words], options);
const sent = () => world.service.received.map(({ method, url }) => `${method} ${url}`);
const body = () => world.service.received.at(-1)?.body;
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff]);

describe('a path', () => {
  it.each(['/projects', 'projects', '/api/projects'])(
    '%s is relative to the base URL',
    async (path) => {
      expect(await api([path])).toMatchObject({
        code: 0,
        stdout: '{"projects":[{"name":"demo"}]}\n',
      });
      expect(sent()).toEqual(['GET /api/projects']);
      expect(world.service.received[0]?.headers.authorization).toBe(`Bearer ${API_KEY}`);
    },
  );

  it.each([
    'http://example.com/projects',
    'HTTPS://127.0.0.1/api/projects',
    '//example.com/projects',
    '\\\\example.com',
    'file:///etc/passwd',
    '/../metrics',
    '/projects/%2e%2E/x',
    '/pro jects',
    '/projects#x',
    '/projects\r\nx: y',
    '/größe',
    '',
  ])('%j is refused, and nothing is sent', async (path) => {
    const { code, stderr } = await api([path]);
    expect({ code, stdout: stderr.split('\n')[0] }).toEqual({
      ...{ code: 2, stdout: expect.stringMatching(/^error: ".*" (is|has) /) },
    });
    expect(world.service.received).toEqual([]);
  });

  it('can contain a computer by name, the only computer or the default project', async () => {
    const at = '/projects/demo/computers/a%20b';
    world.service.on(`GET ${at}`, computer);
    world.service.on(`GET /computers/${computer.id}/jobs`, { jobs: [] });
    world.service.on('GET /projects/shop', { name: 'shop' });
    expect((await api(['/computers/{demo/a b}/jobs'])).code).toBe(0);
    expect((await api(['/projects/{project}', '-p', 'shop'])).stdout).toBe('{"name":"shop"}\n');
    expect(sent()).toEqual([
      `GET /api${at}`,
      `GET /api/computers/${computer.id}/jobs`,
      'GET /api/projects/shop',
    ]);
    expect(await api(['/computers/{demo/none}'])).toMatchObject({ code: 5 });
  });
});

describe('a request', () => {
  it('is a POST with fields, typed and untyped, nested and in lists', async () => {
    await writeFile(join(world.directory, 'note.txt'), 'a note');
    const typed = ['a=1', 'b=-2.5', 'c=true', 'd=null', 'e=007', 'f=@note.txt', 'g[x][]=1'];
    const listed = ['h[][x]=1', 'h[][y]=2', 'h[][x]=3'];
    const fields = [...typed, ...listed].flatMap((each) => ['-F', each]);
    expect((await api(['/projects', ...fields, '-f', 'raw=1', '-f', 'i='])).code).toBe(0);
    expect(sent()).toEqual(['POST /api/projects']);
    expect(body()).toEqual({
      ...{ a: 1, b: -2.5, c: true, d: null, e: '007', f: 'a note', g: { x: [1] } },
      ...{ h: [{ x: 1, y: 2 }, { x: 3 }], raw: '1', i: '' },
    });
  });

  it('has its fields in the query with GET, DELETE and --input', async () => {
    world.service.on('DELETE /owners/a', { success: true });
    await api(['get', '/projects', '-f', 'a=1 2', '-F', 'b[]=1', '-F', 'b[]=2']);
    await api(['-X', 'DELETE', '/owners/a?x=1', '-F', 'force=1']);
    await api(['/projects', '--input', '-', '-f', 'x=1'], { stdin: '{"name":"shop"}' });
    expect(sent()).toEqual([
      'GET /api/projects?a=1+2&b=1&b=2',
      'DELETE /api/owners/a?x=1&force=1',
      'POST /api/projects?x=1',
    ]);
    expect(body()).toEqual({ name: 'shop' });
  });

  it('sends a file with its size, and headers', async () => {
    await writeFile(join(world.directory, 'data'), png);
    world.service.on('PUT /computers/x/files', { success: true });
    const headers = ['-H', 'X-One: 1', '-H', 'accept:image/png'];
    expect(
      (await api(['PUT', '/computers/x/files?path=a', '--input', 'data', ...headers])).code,
    ).toBe(0);
    expect(world.service.received[0]?.headers).toMatchObject({
      ...{ 'content-length': '8', 'content-type': 'application/octet-stream' },
      ...{ 'x-one': '1', accept: 'image/png' },
    });
  });

  it.each([
    [['POST'], /POST is a method: the path is missing/],
    [['FETCH', '/x'], /must be GET, POST, PUT, PATCH or DELETE, not "FETCH"/],
    [['-X', 'get', '/x'], /--method: must be GET/],
    [['-X', 'POST', 'GET', '/x'], /--method: POST contradicts GET/],
    [['GET', '/x', 'y'], /too many arguments/],
    [[], /missing required argument/],
    [['/x', '-f', 'name'], /--raw-field: must be NAME=VALUE/],
    [['/x', '-F', '=1'], /--field: must be NAME=VALUE/],
    [['/x', '-F', 'a[=1'], /--field: must be NAME=VALUE/],
    [['/x', '-F', 'a[__proto__]=1'], /cannot be named __proto__/],
    [['/x', '-F', 'a=1', '-F', 'a=2'], /the field a is given twice/],
    [['/x', '-F', 'a=1', '-F', 'a[b]=2'], /the fields of a.b contradict/],
    [['/x', '-F', 'a=@none'], /cannot read none: no such file/],
    [['GET', '/x', '--input', '-'], /--input: GET has no body/],
    [['/x', '--input', 'none'], /cannot read none: no such file/],
    [['/x', '--input', '.'], /cannot read \.: is a directory/],
    [['/x', '-H', 'none'], /--header: must be "NAME: VALUE"/],
    [['/x', '-H', 'a: b\r\nc: d'], /--header: must be "NAME: VALUE"/],
    [['/x', '-H', 'Authorization: Bearer x'], /--header: Authorization is set by vc/],
    [['/x', '-H', 'HOST: x'], /--header: HOST is set by vc/],
    [['/x', '--paginate'], /--paginate: GET \/x has no pages/],
    [['POST', '/audit', '--paginate'], /--paginate: POST \/audit has no pages/],
    [['/x', '--jq', '.['], /--jq: /],
    [['/x', '--json=name'], /--json: api has no fields/],
  ])('%j is refused before anything is sent', async (words, message) => {
    const outcome = await api(words);
    expect(outcome).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(world.service.received).toEqual([]);
  });
});

describe('an answer', () => {
  it('is filtered with --jq, and printed with its head by -i', async () => {
    expect((await api(['/projects', '--jq', '.projects[].name'])).stdout).toBe('demo\n');
    const { stdout } = await api(['/projects', '-i']);
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\n(.+: .+\n)+\n\{"projects":/);
    expect((await api(['/projects', '-q'])).stdout).toBe('');
  });

  it.each([
    [400, 'invalid_request', 1],
    [400, 'name_taken', 6],
    [401, 'unauthorized', 4],
    [404, 'not_found', 5],
    [503, 'engine_unavailable', 7],
  ])('of an error (%i, %s) is the exit code %i', async (status, code, exit) => {
    world.service.fail('GET /me', status, code, 'It failed.', 'Do this.');
    expect(await api(['/me'])).toMatchObject({
      ...{ code: exit, stdout: '', stderr: expect.stringContaining('error: It failed.\n') },
    });
    expect((await api(['/me', '-i'])).stdout).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('that is not JSON is streamed unchanged to a pipe, and refused on a terminal', async () => {
    world.service.handle('GET /picture', (_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).end(png);
    });
    expect((await api(['/picture'])).stdoutBytes).toEqual(png);
    expect(await api(['/picture'], { terminal: true })).toMatchObject({
      ...{ code: 2, stdout: '', stderr: expect.stringContaining('image/png on this terminal') },
    });
  });

  it('cannot control the terminal', async () => {
    world.service.handle('GET /page', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'x-a': 'b' }).end('a\u001b[2Jb\nc');
    });
    expect((await api(['/page'])).stdout).toBe('a\u001b[2Jb\nc');
    expect((await api(['/page'], { terminal: true })).stdout).toBe('a\ufffd[2Jb\nc');
  });

  it('that is incomplete or missing is an error', async () => {
    world.service.handle('GET /part', (_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': '100' });
      response.write('x', () => response.destroy());
    });
    world.service.handle('GET /html', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('<html>');
    });
    expect(await api(['/part'])).toMatchObject({ code: 7 });
    expect(await api(['/html'])).toMatchObject({
      ...{ code: 7, stderr: expect.stringContaining('not JSON') },
    });
    const env = { VC_BASE_URL: 'http://127.0.0.1:1/api' };
    expect(await api(['/projects'], { env })).toMatchObject({ code: 7 });
  });

  it('is not awaited after an interrupt', async () => {
    const interrupts = new Interrupts();
    world.service.handle('GET /slow', () => interrupts.trigger('SIGINT'));
    expect(await api(['/slow'], { interrupts })).toMatchObject({ code: 130 });
  });

  it('with --paginate is all pages of an audit log in one', async () => {
    world.service.handle('GET /audit', ({ url }, response) => {
      const before = Number(new URL(url, 'http://x').searchParams.get('before') ?? 6);
      const entries = [before - 1, before - 2].filter((id) => id > 0).map((id) => ({ id }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ entries }));
    });
    const { stdout } = await api(['/audit?limit=2', '--paginate', '--jq', '[.entries[].id]']);
    expect(stdout).toBe('[5,4,3,2,1]\n');
    expect(sent().at(-1)).toBe('GET /api/audit?limit=2&before=1');
  });
});

it('a field does not read a file that is too large', async () => {
  const path = join(world.directory, 'large');
  await writeFile(path, '');
  await truncate(path, 100 << 20);
  const { code, stderr } = await api(['/projects', '-F', 'name=@large']);
  expect(code).toBe(2);
  expect(stderr).toContain('cannot read large: it is larger than 8 MiB');
  expect(sent()).toEqual([]);
});
