import {
  access,
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { MachineSpec } from '../../../src/engines/engine.js';
import {
  createQemuEngine,
  type QemuEngine,
  type QemuEngineOptions,
} from '../../../src/engines/qemu/engine.js';
import { defaultCacheDirectory } from '../../../src/images/cache.js';
import { generateKeyPair, type KeyPair } from '../../../src/shell/keys.js';
import { openShell } from '../../../src/shell/shell.js';
import type { Shell } from '../../../src/shell/types.js';

const FILES = ['disk.qcow2', 'kernel', 'initrd', 'cmdline'];

/** Path of a built VM image: `VC_TEST_VM_IMAGE`, or the newest in the cache. */
export async function findVmImage(): Promise<string | undefined> {
  const configured = process.env.VC_TEST_VM_IMAGE;
  if (configured !== undefined) return configured;
  const parent = join(defaultCacheDirectory(), 'images');
  const names = await readdir(parent).catch(() => []);
  const found: { path: string; at: number }[] = [];
  for (const name of names.filter((name) => name.startsWith('linux-vm-'))) {
    const path = join(parent, name);
    const whole = FILES.map((file) => access(join(path, file)));
    if (!(await Promise.allSettled(whole)).every(({ status }) => status === 'fulfilled')) continue;
    found.push({ path, at: (await stat(path)).mtimeMs });
  }
  return found.sort((a, b) => b.at - a.at)[0]?.path;
}

/** A test's own engine directory with the image `linux`. */
export async function openQemuDirectory(image: string): Promise<string> {
  // Next to the cache: on a disk, not in a tmpfs, and on the image's file system for hard links.
  const parent = join(defaultCacheDirectory(), 'test-qemu');
  await mkdir(parent, { recursive: true });
  const directory = join(await mkdtemp(join(parent, 'run-')), 'qemu');
  const target = join(directory, 'images', 'linux');
  await mkdir(target, { recursive: true, mode: 0o700 });
  for (const file of FILES) {
    const [from, to] = [join(image, file), join(target, file)];
    await link(from, to).catch(() => copyFile(from, to));
    await chmod(to, 0o444);
  }
  const { size } = await stat(join(target, 'disk.qcow2'));
  const about = { name: 'linux', os: 'linux', kind: 'vc', bytes: size, shell: { user: 'user' } };
  const createdAt = (await stat(join(image, 'kernel'))).mtime.toISOString();
  await writeFile(join(target, 'image.json'), JSON.stringify({ ...about, createdAt }));
  return directory;
}

export function openQemuEngine(
  directory: string,
  options: Partial<QemuEngineOptions> = {},
): QemuEngine {
  return createQemuEngine({
    directory,
    serviceId: 'test',
    internet: true,
    allowNetworks: [],
    templates: 'on-demand',
    ...options,
  });
}

const keyPair: KeyPair = generateKeyPair();

export function spec(id: string, change: Partial<MachineSpec> = {}): MachineSpec {
  return {
    id,
    ownerId: 'owner_one',
    projectId: 'project',
    os: 'linux',
    image: 'linux',
    cpu: 1,
    ram: 1,
    gpu: 'none',
    resolution: { width: 1024, height: 768 },
    authorizedKey: keyPair.publicKey,
    hostName: `vc-${id}`,
    ...change,
  };
}

/** A machine's shell; waits until it answers. */
export function shellOf(engine: QemuEngine, id: string, pair = keyPair): Promise<Shell> {
  const { privateKey } = pair;
  return untilThere(async () => {
    const { shell: access } = await engine.describe(id);
    if (access === undefined) throw new Error('the machine has no shell');
    return openShell(await engine.dial(id, 'shell'), { privateKey, timeoutMs: 30_000, ...access });
  });
}

/** The output of a command; fails if the command fails. */
export async function run(shell: Shell, command: string): Promise<string> {
  const result = await shell.run({ command, timeoutMs: 90_000, background: false });
  if (result.exitCode !== 0) throw new Error(`${command}: ${JSON.stringify(result)}`);
  return result.stdout.trim();
}

export async function ready(shell: Shell): Promise<void> {
  await run(shell, '/usr/lib/vc/ready');
}

/** Process id of a machine's QEMU. */
export async function pidOf(directory: string, id: string): Promise<number> {
  const text = await readFile(join(directory, 'machines', id, 'machine.json'), 'utf8');
  return JSON.parse(text).process.pid;
}

/** Ends all machines and removes a test's engine directory. */
export async function closeQemuDirectory(directory: string): Promise<void> {
  const engine = openQemuEngine(directory);
  for (const { id } of await engine.list()) await engine.remove(id);
  await engine.close();
  await rm(join(directory, '..'), { recursive: true, force: true });
}

async function untilThere<T>(attempt: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + 90_000; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
