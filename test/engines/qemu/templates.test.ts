import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Host } from '../../../src/engines/qemu/host.js';
import { Layout } from '../../../src/engines/qemu/layout.js';
import { currentBootId, parseStat } from '../../../src/engines/qemu/process/identity.js';
import { Templates } from '../../../src/engines/qemu/templates/index.js';
import { withFileLock } from '../../../src/images/lock.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vc-templates-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('ends and removes what broken off builds have left, and leaves alone what is being built', async () => {
  const layout = new Layout(root);
  const host = new Host(layout, { internet: false, allowNetworks: [] });
  const problems: string[] = [];
  const onProblem = (problem: string) => void problems.push(problem);
  const templates = new Templates(host, { mode: 'on-demand', onProblem });
  const [left, built, ready] = ['a', 'b', 'c'].map((letter) => letter.repeat(24));
  for (const name of [`.building-${left}`, `.building-${built}`, `${ready}`]) {
    await mkdir(join(layout.templates, name), { recursive: true });
  }
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
    const head = `boot ${await currentBootId()} ${process.getuid?.()}`;
    const record = `${head}\npid ${child.pid} ${parseStat(stat).startTime}\n`;
    await writeFile(join(layout.templates, `.building-${left}`, 'process'), record);
    const lock = join(layout.templates, `${built}.lock`);
    await withFileLock(lock, undefined, () => templates.discardAbandoned());
    expect(await ended).toEqual([null, 'SIGKILL']);
    const names = (await readdir(layout.templates)).filter((name) => !name.endsWith('.lock'));
    expect(names.sort()).toEqual([`.building-${built}`, ready]);
    expect(problems).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});
