import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  COLLECT_REFUSED,
  MOST_BYTES,
  parseRefusedNames,
} from '../../../src/engines/network/refused-names.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-refused-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const logged = (lines: readonly string[]) => lines.map((line) => `dnsmasq[8]: ${line}\n`).join('');

/** What is kept of lines that dnsmasq logs. */
async function collect(lines: readonly string[]): Promise<string> {
  const file = join(directory, 'refused');
  await execa('perl', ['-e', COLLECT_REFUSED, file], { input: logged(lines) });
  return readFileSync(file, 'utf8');
}

const refused = (name: string) => [
  `query[A] ${name} from 10.1.0.2`,
  'config error is REFUSED (EDE: not ready)',
];

it('keeps the names that were refused, with their number', async () => {
  const text = await collect([
    'started, version 2.90 cachesize 150',
    ...refused('Example.NET'),
    'query[type=65] www.example.com from 10.1.0.2',
    'forwarded www.example.com to 192.0.2.53',
    'reply error is REFUSED',
    'query[A] unreachable.example.com from 10.1.0.2',
    'config error is REFUSED (EDE: network error)',
    ...refused('example.net'),
    'config error is REFUSED (EDE: not ready)',
    ...refused('a;rm -rf /'),
    ...refused('x\u001b[31m'),
    ...refused('last.example.org'),
  ]);
  const names = parseRefusedNames(text);
  expect(names).toHaveLength(2);
  const at = expect.stringMatching(/^20\d\d-/);
  expect(names).toContainEqual({ name: 'example.net', at, count: 2 });
  expect(names).toContainEqual({ name: 'last.example.org', at, count: 1 });
});

it('keeps no more than the last ones, however many are asked for', async () => {
  const long = 'x'.repeat(240);
  const text = await collect(
    Array.from({ length: 5_000 }, (_, n) => refused(`${long}${n}`)).flat(),
  );
  expect(text.length).toBeLessThan(MOST_BYTES);
  const names = parseRefusedNames(text).map(({ name }) => Number(name.slice(long.length)));
  expect(names).toHaveLength(50);
  expect(Math.min(...names)).toBe(4_950);
});

it('writes a name at once, and those after it when a second is over', async () => {
  const file = join(directory, 'refused');
  // The second is over when the test says so.
  const program = COLLECT_REFUSED.replace('alarm 1;', 'alarm 3600;');
  const running = execa('perl', ['-e', program, file], { stdin: 'pipe' });
  const names = () =>
    parseRefusedNames(existsSync(file) ? readFileSync(file, 'utf8') : '').map(({ name }) => name);
  const refuse = (name: string) => running.stdin.write(logged(refused(name)));
  refuse('first.example.com');
  await expect.poll(names, { timeout: 10_000 }).toEqual(['first.example.com']);
  refuse('second.example.com');
  refuse('third.example.com');
  expect(names()).toEqual(['first.example.com']);
  await expect
    .poll(
      () => {
        running.kill('SIGALRM');
        return names().length;
      },
      { timeout: 10_000 },
    )
    .toBe(3);
  running.stdin.end();
  await running;
});

it('reads nothing but names from the file, which a machine may have written', () => {
  expect(parseRefusedNames('root:x:0:0\n<b> 1 2\nok.example 1 1700000000\n')).toEqual([
    { name: 'ok.example', at: '2023-11-14T22:13:20.000Z', count: 1 },
  ]);
});
