/**
 * Measures the first moments of a virtual machine that is resumed from a template. Uses the engine
 * directly, where the first frame is visible before the machine is ready. STATE_DIRECTORY is as in
 * machines.js.
 *
 *   node bench/resume.js [STATE_DIRECTORY] [RUNS]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'rolldown';
import { quantiles } from './measure.js';

const SHAPE = { cpu: 2, ram: 2, gpu: 'none', resolution: { width: 1280, height: 800 } };
const seed = process.argv[2] ?? join(homedir(), '.local', 'state', 'vc');
const runs = Number(process.argv[3] ?? 5);
const directory = mkdtempSync(join(tmpdir(), 'vc-bench-'));
const source = (name) => new URL(`../src/${name}`, import.meta.url).pathname;

/** Long enough to refill the warm pool, also on a slow host. */
const REFILL_MS = 15_000;

function print(what, samples) {
  for (const step of Object.keys(samples[0])) {
    const { p50, min } = quantiles(samples.map((sample) => sample[step]));
    const figures = `p50 ${Math.round(p50)} ms, minimum ${Math.round(min)} ms`;
    console.log(`${what.padEnd(18)} ${step.padEnd(24)} ${figures}`);
  }
}

/** Modules that the package does not export, bundled from their sources. */
async function modules() {
  // Node.js resolves their packages from here.
  const dir = new URL('../node_modules/.cache/vc-bench', import.meta.url).pathname;
  const input = {
    engine: source('engines/qemu/engine.ts'),
    screen: source('screen/index.ts'),
    server: source('server/warm-up.ts'),
    shell: source('shell/shell.ts'),
    keys: source('shell/keys.ts'),
  };
  const output = { dir, format: 'esm', entryFileNames: '[name].mjs' };
  const external = /^[@a-z]/;
  await build({ input, external, platform: 'node', output, logLevel: 'warn' });
  const parts = await Promise.all(
    Object.keys(input).map((name) => import(join(dir, `${name}.mjs`))),
  );
  return Object.assign({}, ...parts);
}

const { createQemuEngine, warmUp, openScreen, openShell, generateKeyPair } = await modules();
const state = join(directory, 'qemu');
mkdirSync(state, { mode: 0o700 });
for (const name of ['images', 'templates']) {
  execFileSync('cp', ['-al', join(seed, 'qemu', name), state]);
}
const options = { directory: state, serviceId: 'bench', internet: false, allowNetworks: [] };
const onProblem = (message) => console.error(message);
const engine = createQemuEngine({ ...options, templates: 'on-demand', onProblem });
const withWarmPool = createQemuEngine({
  ...{ ...options, templates: 'on-demand', onProblem, poolSize: 1, warmUp },
});
const { publicKey, privateKey } = generateKeyPair();

/** Milliseconds from `create` to each step of one machine, which is then removed. */
async function measureStart(id, engine) {
  const startedAt = performance.now();
  const at = {};
  const reached = (step) => {
    at[step] = performance.now() - startedAt;
  };
  const spec = {
    ...{ id, ownerId: 'bench', projectId: 'bench', os: 'linux', image: 'linux' },
    ...{ ...SHAPE, authorizedKey: publicKey },
  };
  try {
    await engine.create(spec);
    let frame = Promise.resolve();
    await engine.start(id, undefined, () => {
      reached('processors running');
      frame = engine
        .dial(id, 'screen')
        .then((stream) => openScreen(stream, { pixels: 'hextile', timeoutMs: 60_000 }))
        .then((screen) => {
          reached('first frame');
          screen.close();
        });
      frame.catch(() => undefined);
    });
    reached('configured');
    const access = await engine.shell(id);
    const shell = await openShell(await engine.dial(id, 'shell'), { privateKey, ...access });
    await shell.run({ command: 'true', timeoutMs: 30_000, background: false });
    reached('command answered');
    shell.close();
    await frame;
    return at;
  } finally {
    await engine.remove(id);
  }
}

try {
  const { cpu, ram, resolution } = SHAPE;
  await engine.warm({ image: 'linux', cpu, ram, resolution });
  await measureStart('warm', engine);
  const resumed = [];
  for (let i = 0; i < runs; i++) resumed.push(await measureStart(`run${i}`, engine));
  print('from a template', resumed);
  // Each start refills the warm pool.
  await measureStart('first', withWarmPool);
  const spared = [];
  for (let i = 0; i < runs; i++) {
    await sleep(REFILL_MS);
    spared.push(await measureStart(`spare${i}`, withWarmPool));
  }
  print('from the warm pool', spared);
} finally {
  await engine.close();
  await withWarmPool.close();
  rmSync(directory, { recursive: true, force: true });
}
