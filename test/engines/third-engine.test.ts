// @module-tag slow
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tree } from '../../src/cli/commands/tree.js';
import { complete } from '../../src/cli/completion/complete.js';
import { loadOutline } from '../../src/cli/generate/outline.js';
import { MachineSessions } from '../../src/fleet/sessions/machine-sessions.js';
import { openStore } from '../../src/fleet/store/index.js';
import { composeEngines } from '../../src/server/engines.js';
import { openWorld, type World } from '../cli/support/run.js';
import { openTestApp } from '../support/app.js';
import { silentLog } from '../support/fleet.js';
import { MemoryEngine } from '../support/memory-engine/engine.js';

// Test files share their modules: load them again with the mock, and afterwards without it.
vi.hoisted(() => vi.resetModules());
afterAll(() => {
  vi.doUnmock('../../src/engines/index.js');
  vi.resetModules();
});

// A new engine adds one line to this list.
vi.mock('../../src/engines/index.js', async (original) => {
  const { engines } = await original<typeof import('../../src/engines/index.js')>();
  const { memory } = await import('../support/memory-engine/index.js');
  return { engines: [...engines, memory] };
});

let world: World;
let directory: string;
beforeEach(async () => {
  world = await openWorld();
  directory = mkdtempSync(join(tmpdir(), 'vc-third-'));
  vi.stubEnv('DOCKER_HOST', 'unix:///nonexistent/docker.sock');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await world.close();
  rmSync(directory, { recursive: true });
});

const run = async (...words: string[]) => {
  const env = { VC_STATE_DIR: directory, VC_API_KEY: undefined };
  const { code, stdout, stderr } = await world.run(words, { env });
  return { code, stdout, stderr };
};
const compose = async (engine: string) => {
  const store = openStore(directory);
  try {
    const options = { allowNetworks: [], internet: true, engineOptions: {} };
    return await composeEngines(
      { ...options, engine, stateDirectory: directory },
      store,
      silentLog,
      new MachineSessions(store),
    );
  } finally {
    store.close();
  }
};

test('a service offers a third engine, and creates a computer on it over HTTP', async () => {
  const { all, offered } = await compose('memory');
  expect(offered).toEqual(['memory']);
  const engine = all.get('memory');
  if (!(engine instanceof MemoryEngine)) throw new Error('the engine was not opened');
  const app = await openTestApp({ engine });
  try {
    await app.send('POST', '/api/projects', { body: { name: 'demo' } });
    const body = { name: 'desk', engine: 'memory' };
    const { status, json } = await app.send('POST', '/api/projects/demo/computers', { body });
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'running', engine: 'memory', isolation: 'vm' });
    expect([...engine.machines.keys()]).toEqual([json.id]);
    const images = await app.send('GET', '/api/images');
    expect(images.json).toMatchObject({
      images: [{ name: 'linux', engine: 'memory', kind: 'image', status: 'ready', bytes: 3e6 }],
      failures: [],
    });
  } finally {
    await app.close();
  }
});

test("vc serve has the third engine's options", async () => {
  const { stdout } = await run('serve', '--help');
  expect(stdout).toContain('--keep-nothing');
  expect(stdout).toMatch(/docker,\s+podman,\s+qemu,\s+incus,\s+memory/);
});

test('vc doctor checks the third engine under its own heading', async () => {
  const { stdout } = await run('doctor', '-v');
  expect(stdout).toContain('Memory (computers in thin air)');
  expect(stdout).toMatch(/Size +ok +large enough/);
  expect(stdout).toMatch(/Memory +ok +in memory/);
});

test("vc setup plans the third engine's packages", async () => {
  const { stdout } = await run('setup', '--engine', 'memory', '--dry-run', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ engine: 'memory', starts_daemon: false });
  expect(JSON.parse(stdout).packages).toContain('memory-tools');
});

test("vc image builds, warms, lists and removes the third engine's images", async () => {
  const built = await run('image', 'build', 'linux', '--engine', 'memory', '--json');
  expect(JSON.parse(built.stdout)).toMatchObject({ id: 'thought-1', engine: 'memory' });
  const warm = await run('image', 'warm', 'linux', '--engine', 'memory', '--json');
  expect(JSON.parse(warm.stdout)).toMatchObject({ key: 'warm-thought', is_new: true });
  const listed = JSON.parse((await run('image', 'ls', '--json')).stdout).images;
  expect(listed).toMatchObject([{ name: 'linux', engine: 'memory', state: 'ready' }]);
  expect(await run('image', 'rm', 'linux', '--engine', 'memory', '--yes')).toMatchObject({
    stderr: 'removed the image linux for memory\n',
  });
});

test('help and completion include the third engine', async () => {
  expect((await run('help', 'environment')).stdout).toContain('MEMORY_LIMIT');
  expect((await run('image', 'import', '--help')).stdout).toMatch(/qemu, memory/);
  const outline = await loadOutline(tree);
  expect(await complete(outline, ['setup', '--engine', ''], async () => [])).toContain('memory');
});

test("no code outside an engine's folder compares engine names", () => {
  const sources = execFileSync('git', ['grep', '-nE', `['"](docker|qemu|incus)['"]`, '--', 'src'], {
    encoding: 'utf8',
  });
  const others = sources
    .split('\n')
    .filter((line) => line !== '' && !/^src\/engines\/(docker|qemu|incus)\//.test(line));
  expect(others).toEqual([]);
});
