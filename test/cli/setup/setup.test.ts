import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeServiceRecord } from '../../../src/cli/service/record.js';
import { commonPackages, imagePackages } from '../../../src/cli/setup/plan.js';
import { qemu } from '../../../src/engines/qemu/index.js';
import { identifyProcess } from '../../../src/lib/process/identity.js';
import { openWorld, type World } from '../support/run.js';

let world: World;
let directory: string;
let server: Server | undefined;
beforeEach(async () => {
  world = await openWorld();
  directory = mkdtempSync(join(tmpdir(), 'vc-setup-'));
});
afterEach(async () => {
  server?.close();
  server = undefined;
  await world.close();
  rmSync(directory, { recursive: true });
});

const socket = () => join(directory, 'docker.sock');
/** A search path without programs, so every package is missing. */
const env = () => ({ DOCKER_HOST: `unix://${socket()}`, PATH: '/nonexistent' });
const plan = async (...words: string[]) => {
  const { stdout } = await world.run(['setup', '--dry-run', ...words], { env: env() });
  return stdout;
};
const startEngine = () =>
  new Promise<void>((resolve) => {
    server = createServer((_, response) => response.end('OK')).listen(socket(), resolve);
  });

/** Only root can host computers on Podman. */
const other = process.getuid?.() === 0 ? 'podman' : 'qemu';

test('a host is set up for Docker if an Engine answers, else for an engine without a daemon', async () => {
  expect(await plan('-q')).toBe(`${other}\n`);
  await startEngine();
  expect(await plan('-q')).toBe('docker\n');
});

test('the named engine is set up, whichever engines exist', async () => {
  expect(await plan('-q', '--engine', 'docker')).toBe('docker\n');
  await startEngine();
  expect(await plan('-q', '--engine', 'qemu')).toBe('qemu\n');
});

test('setting up another engine does not install or start Docker', async () => {
  const { engine, packages, starts_daemon, commands } = JSON.parse(await plan('--json'));
  expect({ engine, starts_daemon }).toEqual({ engine: other, starts_daemon: false });
  expect(packages).not.toContain('docker.io');
  expect(JSON.stringify(commands)).not.toContain('docker');
  const asked = JSON.parse(await plan('--json', '--engine', 'docker'));
  expect(asked).toMatchObject({ engine: 'docker', starts_daemon: true });
});

test('packages are installed without recommended ones', async () => {
  const { packages, commands } = JSON.parse(await plan('--json', '--engine', 'qemu'));
  const needed = [...(await qemu.setup()).packages, ...commonPackages, ...imagePackages];
  const names = needed.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(packages));
  const installs: string[][] = commands.filter((words: string[]) => words.includes('install'));
  expect(installs.every((words) => words.includes('--no-install-recommends'))).toBe(true);
  expect(installs.flat()).toEqual(expect.arrayContaining(packages));
});

test.each(['--remove', '--packages-only', '--json'])(
  '--image is refused with %s',
  async (other) => {
    const refused = await world.run(['setup', '--image', 'linux', '--dry-run', other], {
      env: env(),
    });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(
      '--image cannot be used with --remove, --packages-only or --json',
    );
  },
);

test('the plan names the image that is built, too', async () => {
  const { stderr } = await world.run(['setup', '--image', 'linux', '--dry-run'], { env: env() });
  expect(stderr).toContain('\nTo be built: the image linux\n');
});

test('what builds images is installed first, in a step of its own', async () => {
  const { packages, commands } = JSON.parse(await plan('--json'));
  const names = imagePackages.map(({ name }) => name);
  expect(packages.slice(0, names.length)).toEqual(names);
  const installs = commands.filter((words: string[]) => words.includes('install'));
  expect(installs.map((words: string[]) => words.slice(-2))[0]).toEqual(names);
  expect(installs).toHaveLength(2);
});

test('VC_ENGINE selects the engine; the error for a wrong value names the variable', async () => {
  const named = { env: { ...env(), VC_ENGINE: 'docker' } };
  expect((await world.run(['setup', '--dry-run', '-q'], named)).stdout).toBe('docker\n');
  const wrong = { env: { ...env(), VC_ENGINE: 'dokcer' } };
  expect((await world.run(['setup', '--dry-run'], wrong)).stderr).toContain('VC_ENGINE: must be');
});

test('while a service runs, --remove is refused, and only --dry-run shows what it would do', async () => {
  await writeServiceRecord(directory, {
    ...{
      process: (await identifyProcess(process.pid)) ?? null,
      version: '1.2.3',
      url: world.service.baseUrl,
      log: null,
    },
    ...{ started_at: '2025-01-02T02:04:05.000Z', argv: ['serve', '--engine', 'qemu'] },
    environment: {},
  });
  const remove = (...words: string[]) =>
    world.run(['setup', '--remove', '--engine', 'qemu', ...words], {
      env: { ...env(), VC_STATE_DIR: directory },
    });
  const refused = await remove('--yes');
  expect(refused.stderr).toContain('error: the service runs');
  expect(refused.code).toBe(6);
  expect(await remove('--dry-run')).toMatchObject({ code: 0 });
});
