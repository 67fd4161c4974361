// @module-tag slow
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { QemuHost } from '../../../../../src/engines/qemu/host.js';
import { findImage } from '../../../../../src/engines/qemu/images/installed.js';
import { Layout } from '../../../../../src/engines/qemu/layout.js';
import { HARDWARE_VERSION } from '../../../../../src/engines/qemu/machine/arguments.js';
import { MOST_AUTOMATIC } from '../../../../../src/engines/qemu/snapshots/templates/background-builds.js';
import { Templates } from '../../../../../src/engines/qemu/snapshots/templates/templates.js';
import { withFileLock } from '../../../../../src/lib/fs/file-lock.js';
import { currentBootId, parseStat } from '../../../../../src/lib/process/identity.js';
import { spec } from '../../../../support/qemu/engine.js';

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

/** A host whose QEMU is never asked. */
class ToolHost extends QemuHost {
  override async version(): Promise<string> {
    return '7.2.0';
  }
}

it('builds no template by itself beyond 24, and counts no stale ones', async () => {
  const layout = new Layout(root);
  const image = join(layout.images, 'linux');
  await mkdir(image, { recursive: true });
  const createdAt = new Date().toISOString();
  const about = { name: 'linux', os: 'linux', kind: 'vc', bytes: 1, shell: null, createdAt };
  await writeFile(join(image, 'image.json'), JSON.stringify(about));
  for (const name of ['disk.qcow2', 'cmdline']) await writeFile(join(image, name), '');
  const { identity } = await findImage(layout.images, 'linux');
  const keyOf = (i: number) => i.toString(16).padStart(24, '0');
  const shape = { image: 'linux', cpu: 2, ram: 1, resolution: { width: 640, height: 480 } };
  for (let i = 0; i <= MOST_AUTOMATIC; i++) {
    const directory = join(layout.templates, keyOf(i));
    await mkdir(directory, { recursive: true });
    const record = {
      ...{ ...shape, key: keyOf(i), os: 'linux', qemu: '7.2.0', hardware: HARDWARE_VERSION },
      ...{ createdAt, memory: 'saved', layers: [] },
      imageIdentity: i === 0 ? 'of an image before' : identity,
    };
    await writeFile(join(directory, 'template.json'), JSON.stringify(record));
  }
  let attempts = 0;
  const templates = new Templates(new ToolHost(layout, { internet: false, allowNetworks: [] }), {
    mode: 'automatic',
    onProblem: (problem) => expect.fail(problem),
    builds: {
      delayMs: 0,
      // Asked only when there is room for a template; too little for a build.
      memory: async () => {
        attempts += 1;
        return 0;
      },
    },
  });
  const asked = { ...spec('one'), ...shape };
  await templates.buildInBackground(asked);
  expect([(await templates.templates()).length, attempts]).toEqual([MOST_AUTOMATIC, 0]);
  await templates.removeTemplate(keyOf(1));
  await templates.buildInBackground(asked);
  expect(attempts).toBe(1);
  await templates.close();
});
