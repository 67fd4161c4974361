import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { asCurl, asVc, keyLines, quote } from '../../src/dashboard/app/api/commands.js';

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
