// @module-tag slow
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import {
  asCurl,
  asPython,
  asTypeScript,
  asVc,
  keyLines,
  quote,
} from '../../src/dashboard/app/api/commands.js';
import { recordIntent } from '../../src/dashboard/app/pages/computer/screen/intents.js';

const HOSTILE = ["a'b", '$(reboot)', '`id`', 'a b', '', '-x', '"', '\\', 'a\nb', '!x', 'é*?~'];

it('quotes every word so that a shell reads it as it is', () => {
  const line = ['printf', '%s\\0', ...HOSTILE].map(quote).join(' ');
  const words = execFileSync('/bin/sh', ['-c', line]).toString().split('\0').slice(0, -1);
  expect(words).toEqual(HOSTILE);
});

it('writes a request for curl, with the key in a variable', () => {
  const body = { name: "it's" };
  const line = asCurl({ method: 'POST', path: '/projects', body }, 'http://127.0.0.1:4700');
  const words = execFileSync('/bin/sh', ['-c', line.replace('curl', "printf '%s\\n'")], {
    env: { VC_API_KEY: 'vc_key' },
  });
  expect(words.toString().split('\n').slice(0, -1)).toEqual([
    ...['-X', 'POST', 'http://127.0.0.1:4700/api/projects', '-H', 'Authorization: Bearer vc_key'],
    ...['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)],
  ]);
});

it('gives a secret to curl on its input', () => {
  const body = { value: "it's $(secret)" };
  const line = asCurl({ method: 'PUT', path: '/secrets/A', body }, 'http://127.0.0.1:4700');
  // A program that prints its arguments, then its input.
  const program = `curl() { printf '<%s>' "$@"; cat; }\n${line}`;
  const shown = execFileSync('/bin/sh', ['-c', program], { env: { PATH: process.env.PATH } });
  expect(shown.toString()).toMatch(/<-d><@->\{"value":"it's \$\(secret\)"\}\n$/);
});

it('gives a secret to vc api on its input', () => {
  const body = { name: 'live', stream_key: 'key' };
  expect(asVc({ method: 'POST', path: '/connections', body })).toBe(
    `vc api POST /connections --input - <<'END'\n${JSON.stringify(body)}\nEND`,
  );
});

it('writes a command of vc, or the request for vc api', () => {
  const request = { method: 'PATCH', path: '/keys/key_1' } as const;
  expect(asVc({ ...request, vc: ['project', 'create', 'a b'] })).toBe("vc project create 'a b'");
  expect(asVc({ ...request, body: { name: 'ci', expires_at: null, limit: 3 } })).toBe(
    'vc api PATCH /keys/key_1 -f name=ci -F expires_at=null -F limit=3',
  );
});

it('writes lines for a new key that give it to programs on their input', () => {
  const [, ...lines] = keyLines('vc_key', 'http://127.0.0.1:4700/api');
  // A program that prints its arguments, then its input.
  const program = 'curl() { /usr/bin/env printf "<%s>" "$@"; cat; }; vc() { curl "$@"; };';
  const shown = lines.map(({ text }) =>
    execFileSync('/bin/sh', ['-c', `${program} ${text}`]).toString(),
  );
  expect(shown).toEqual([
    '<-H><@-><http://127.0.0.1:4700/api/projects>Authorization: Bearer vc_key\n',
    '<login><--base-url><http://127.0.0.1:4700/api>vc_key\n',
  ]);
});

const ODD = {
  text: HOSTILE.join(' '),
  ...{ on: true, off: false, none: null, number: 0.5, absent: undefined },
  list: [{ a: [1] }, []],
};

it('writes a program in TypeScript that sends the request', () => {
  const request = { method: 'POST', path: "/projects/it's" } as const;
  const program = asTypeScript({ ...request, body: ODD }, 'http://127.0.0.1:4700');
  // Instead of sending it, the program prints it.
  const shown = `globalThis.fetch = async (...given) => Response.json(given);
console.log = (answer) => process.stdout.write(JSON.stringify(answer));
`;
  const printed = execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', shown + program],
    { env: { VC_API_KEY: 'vc_key' } },
  );
  const [url, options] = JSON.parse(printed.toString());
  expect(url).toBe("http://127.0.0.1:4700/api/projects/it's");
  expect(options.method).toBe('POST');
  expect(options.headers.authorization).toBe('Bearer vc_key');
  expect(JSON.parse(options.body)).toEqual(JSON.parse(JSON.stringify(ODD)));
  expect(asTypeScript({ method: 'GET', path: '/me' }, '')).not.toContain('method');
});

it('writes a program in Python that sends the request', () => {
  const request = { method: 'POST', path: "/projects/it's" } as const;
  const program = asPython({ ...request, body: ODD }, 'http://127.0.0.1:4700');
  // Stands for the client, and prints what it gets.
  const client = `
import json, sys, types
class VirtualComputers:
    def __init__(self, base_url): self.base_url = base_url
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def request(self, *given): return json.dumps([self.base_url, *given])
sys.modules["virtual_computers"] = types.SimpleNamespace(VirtualComputers=VirtualComputers)
`;
  const printed = execFileSync('python3', ['-'], { input: client + program }).toString();
  expect(JSON.parse(printed)).toEqual([
    ...['http://127.0.0.1:4700/api', 'POST', "/projects/it's"],
    JSON.parse(JSON.stringify(ODD)),
  ]);
});

it('writes programs that save a recording', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vc-copied-'));
  const sent: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    sent.push(`${method} ${url} ${headers.authorization}`);
    response.writeHead(200, { 'content-type': 'video/mp4', 'x-api-version': '1' });
    response.end('film');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const computer = { id: 'cmp_1', name: 'desktop', project_name: 'demo' };
  const intent = recordIntent(computer, { duration: '30', fps: '15' });
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: new URL('../../clients/python', import.meta.url).pathname,
    VC_API_KEY: 'vc_key',
  };
  try {
    for (const [program, words, text] of [
      ['/bin/sh', ['-c'], asCurl(intent, origin)],
      ['/usr/bin/python3', ['-c'], asPython(intent, origin)],
      [process.execPath, ['--input-type=module', '--eval'], asTypeScript(intent, origin)],
    ] as const) {
      await promisify(execFile)(program, [...words, text], { cwd: directory, env });
      expect(readFileSync(join(directory, 'recording.mp4'), 'utf8')).toBe('film');
      rmSync(join(directory, 'recording.mp4'));
    }
  } finally {
    server.close();
    rmSync(directory, { recursive: true });
  }
  const request = 'GET /api/computers/cmp_1/record?duration=30&fps=15 Bearer vc_key';
  expect(sent).toEqual([request, request, request]);
});
