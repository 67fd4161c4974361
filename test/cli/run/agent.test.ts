// @module-tag slow
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runAgent } from '../../../src/cli/run/agent.js';
import { eventually } from '../../support/eventually.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vc-agent-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const log = () => readFileSync(join(directory, 'log.txt'), 'utf8');
function run(command: string, { seconds = 60, signal = new AbortController().signal } = {}) {
  const env = { ...process.env, SECRET: 'abcdef' };
  const file = join(directory, 'log.txt');
  const agent = { command, cwd: directory, env, log: file, secrets: ['abcdef'], seconds };
  return runAgent(agent, signal);
}
async function isGone(): Promise<boolean> {
  const pid = Number(readFileSync(join(directory, 'pid'), 'utf8'));
  try {
    // A zombie has no command line.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '';
  } catch {
    return true;
  }
}

it('writes the output with masked secrets and resolves to the exit code', async () => {
  expect(await run('echo "out $SECRET"; echo err >&2; exit 3')).toBe(3);
  expect(log().split('\n').sort()).toEqual(['', 'err', 'out ***']);
});

it('resolves to 127 for a program that is missing, and to 128 and more for a signal', async () => {
  expect(await run('exec ./none')).toBe(127);
  expect(await run('kill -9 $$')).toBe(137);
});

it('ends an agent at its time limit with all its processes, also one that ignores SIGTERM', async () => {
  const command = "trap '' TERM; sleep 1000 & echo $! > pid; wait; wait";
  expect(await run(command, { seconds: 0.3 })).toBeUndefined();
  await eventually(isGone);
});

it('ends what an agent has left running', async () => {
  expect(await run('sleep 1000 & echo $! > pid')).toBe(0);
  await eventually(isGone);
});

it('ends an agent with the signal', async () => {
  const stop = new AbortController();
  const running = run('echo $$ > pid; sleep 1000', { signal: stop.signal });
  stop.abort();
  expect(await running).toBeUndefined();
});

it('keeps 16 MiB of an agent that prints for ever', async () => {
  expect(await run('yes', { seconds: 2 })).toBeUndefined();
  expect(log().length).toBeLessThan(17 * 1024 * 1024);
});
