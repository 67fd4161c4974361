import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { QemuHost } from '../../../../../src/engines/qemu/host.js';
import { Layout } from '../../../../../src/engines/qemu/layout.js';
import { Templates } from '../../../../../src/engines/qemu/snapshots/templates/templates.js';
import { withFileLock } from '../../../../../src/lib/fs/file-lock.js';
import { currentBootId, parseStat } from '../../../../../src/lib/process/identity.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vc-templates-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('kills and removes interrupted builds, but not a running one', async () => {
  const layout = new Layout(root);
  const host = new QemuHost(layout, { internet: false, allowNetworks: [] });
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
    await withFileLock(lock, undefined, () => templates.removeAbandoned());
    expect(await ended).toEqual([null, 'SIGKILL']);
    const names = (await readdir(layout.templates)).filter((name) => !name.endsWith('.lock'));
    expect(names.sort()).toEqual([`.building-${built}`, ready]);
    expect(problems).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});
