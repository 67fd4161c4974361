import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantiles } from '../../measure.js';
import { openHeartbeat } from '../heartbeat.js';
import { inOrder, ms } from '../report.js';

const ROUNDS = 10;
const SETTLE_MS = 5_000;
const COPIES = 8;
const IDLE_SNAPSHOTS = 20;
const DOCKERFILE = 'FROM linux\nRUN echo one >/one\nRUN echo two >/two\n';
/** Podman's own are higher than a container may set without CAP_SYS_RESOURCE. */
const ULIMITS = ['nofile', 'nproc'].map((Name) => ({ Name, Soft: 16_384, Hard: 16_384 }));
const megabytes = (value) => `${(value / 1e6).toFixed(1)} MB`;

/** In milliseconds, and the bytes of a snapshot: of containers, and of emulated virtual machines. */
const GOALS = {
  containers: {
    ...{ snapshot: 1_000, pause: 300, reset: 1_500, fork: 1_500, forks: 6_000 },
    ...{ create: 1_300, build: 2_000, bytes: 50e6 },
  },
  machines: { snapshot: 3_000, pause: 500, reset: 2_500, fork: 3_000, build: 5_000, bytes: 100e6 },
};

/**
 * Snapshot, reset, fork, creation and build of a running desktop after 100 MB of changes. A snapshot of a
 * virtual machine has its memory.
 */
export async function measureSnapshots(sides) {
  const context = tarOf({ Dockerfile: DOCKERFILE });
  const found = sides.map(() => []);
  for (const side of sides) {
    await build(side, context);
    // The Engine's first commit reads the image.
    await once(side, 'first', context);
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const at of inOrder(sides.length, round)) {
      found[at].push(await once(sides[at], `desk-${round}`, context));
    }
  }
  const sizes = [];
  for (const side of sides) sizes.push(await idleSize(side));
  const median = (rounds, name) => quantiles(rounds.map((times) => times[name])).p50;
  const engine = sides.at(-1).engine?.name;
  const goals = engine ? GOALS.containers : GOALS.machines;
  const goalOf = (most, unit) => most && { text: unit(most), most };
  const line = (what, name, floor) => ({
    what: `${what}, p50`,
    ...{ values: found.map((rounds) => median(rounds, name)), unit: ms },
    ...(engine && floor && { floor: `${engine} ${floor}`, least: median(found.at(-1), floor) }),
    goal: goalOf(goals[name], ms),
  });
  return [
    line('snapshot of a running desktop, 100 MB changed', 'snapshot', 'commit'),
    line('its longest pause of the desktop', 'pause'),
    line('reset to ready', 'reset', 'run'),
    line('fork to ready', 'fork', 'run'),
    // As many virtual machines need more memory than most hosts have.
    ...(engine ? [line(`${COPIES} forks at once`, 'forks')] : []),
    line('create from an image of one’s own to ready', 'create', 'run'),
    line('build of two steps, unchanged', 'build'),
    {
      what: `largest of ${IDLE_SNAPSHOTS} snapshots of an idle computer`,
      ...{ values: sizes, unit: megabytes },
      goal: goalOf(goals.bytes, megabytes),
    },
  ];
}

async function once(side, name, context) {
  const id = await side.create(name);
  const path = `/computers/${id}`;
  const command = 'head -c 100M /dev/urandom >~/changed; sync';
  await side.call('POST', `${path}/bash`, { command });
  await sleep(SETTLE_MS);
  const times = {};
  const timed = async (what, work) => {
    const startedAt = performance.now();
    const result = await work();
    times[what] = performance.now() - startedAt;
    return result;
  };

  if (side.engine) await floors(side.engine.docker, `vc-${id}`, timed);

  const heartbeat = await openHeartbeat(side, path);
  const startedAt = performance.now();
  await timed('snapshot', () => side.call('POST', `${path}/snapshots`, { name: 'one' }));
  await sleep(1_000);
  times.pause = heartbeat.longest(startedAt, performance.now());
  heartbeat.close();

  await timed('reset', () => side.call('POST', `${path}/reset`, { snapshot: 'one' }));
  const copy = await timed('fork', () => side.fork(id, `${name}-copy`));
  await side.remove(copy);
  if (side.engine) {
    const names = Array.from({ length: COPIES }, (_, index) => `${name}-${index}`);
    const answer = await timed('forks', () => side.call('POST', `${path}/fork`, { names }));
    for (const computer of JSON.parse(answer).computers) await side.remove(running(computer).id);
  }

  const image = { name: 'bench', computer: id, snapshot: 'one' };
  await side.call('POST', '/images', image);
  const made = await timed('create', () => side.create(`${name}-new`, { image: 'bench' }));
  await side.remove(made);
  await side.call('DELETE', '/images/bench');
  await timed('build', () => build(side, context));
  await side.remove(id);
  return times;
}

/** What the engine takes for the same container without the service. */
async function floors(docker, name, timed) {
  const container = docker.getContainer(name);
  const { Id } = await timed('commit', () => container.commit({ repo: 'bench' }));
  await timed('run', async () => {
    const options = {
      Image: Id,
      Entrypoint: ['true'],
      HostConfig: { NetworkMode: 'none', Ulimits: ULIMITS },
      // The image has the machine's labels, and the service would take its container for the machine.
      Labels: { 'sh.vc.machine': '' },
    };
    const made = await docker.createContainer(options);
    await made.start();
    await made.wait();
    await made.remove();
  });
  await docker.getImage(Id).remove({ force: true });
}

/** An answer after 60 s may name a computer that still starts, whose time says nothing. */
function running(computer) {
  if (computer.status !== 'running') throw new Error(`${computer.name} is ${computer.status}`);
  return computer;
}

/** The most bytes of a snapshot. */
async function idleSize(side) {
  const id = await side.create('idle');
  for (let i = 0; i < IDLE_SNAPSHOTS; i++) {
    await side.call('POST', `/computers/${id}/snapshots`, {});
  }
  const { snapshots } = JSON.parse(await side.call('GET', `/computers/${id}/snapshots`));
  await side.remove(id);
  return Math.max(...snapshots.map(({ bytes }) => bytes));
}

/** The answer is 200 whatever becomes of the build; its last line says. */
async function build(side, context) {
  const type = { 'content-type': 'application/x-tar' };
  const lines = String(await side.send('POST', '/images/built/build', context, type)).trim();
  if (!/"type":"image"/.test(lines.split('\n').at(-1))) throw new Error(lines);
}

function tarOf(files) {
  const directory = mkdtempSync(join(tmpdir(), 'vc-bench-context-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const tar = execFileSync('tar', ['-C', directory, '-cf', '-', '.']);
  rmSync(directory, { recursive: true });
  return tar;
}
