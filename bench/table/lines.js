import { measureCreation } from './lines/creation.js';
import { measureFiles } from './lines/files.js';
import { measureFork } from './lines/fork.js';
import { measureMemory } from './lines/memory.js';
import { measureRequests } from './lines/requests.js';
import { measureScreenshots } from './lines/screenshots.js';
import { measureSnapshots } from './lines/snapshots.js';
import { measureWaits } from './lines/waits.js';
import { measureWall } from './lines/wall.js';
import { measureWarmPool } from './lines/warm-pool.js';
import { measureWebPage } from './lines/web-page.js';

const docker = (sides) => sides.containers('docker');
const anyEngine = (sides, { engine, seed }) =>
  engine === 'qemu' ? sides.qemu(seed) : sides.containers(engine);

/** By name, in the order in which they are measured: what they need, and the most they may take. */
export const LINES = {
  requests: {
    what: 'health, GET of a computer, click and command: latency and throughput',
    minutes: 15,
    open: docker,
    work: measureRequests,
  },
  screenshots: {
    what: 'a still screen, a caret and a terminal: latency and processor time',
    minutes: 15,
    open: docker,
    work: measureScreenshots,
  },
  files: {
    what: 'copies of 256 MiB and 1 kB',
    minutes: 20,
    open: docker,
    work: measureFiles,
  },
  creation: {
    what: 'create without a warm pool, 40 computers, 16 deletions, on --engine',
    minutes: 20,
    open: anyEngine,
    work: measureCreation,
  },
  'warm-pool': {
    what: 'create to usable with a warm pool, on --engine docker or podman',
    minutes: 20,
    open: (sides, { engine }) => sides.withWarmPool(engine),
    work: measureWarmPool,
  },
  waits: {
    what: 'processor time of the service while it waits for a condition',
    minutes: 15,
    open: docker,
    work: measureWaits,
  },
  'web-page': {
    what: 'the web page: processor time of the service, and first pictures on a slow line',
    minutes: 15,
    open: docker,
    work: measureWebPage,
  },
  wall: {
    what: '100 running computers on the wall of the web page; takes 15 GB of memory',
    minutes: 30,
    open: docker,
    work: measureWall,
  },
  snapshots: {
    what: 'snapshot, reset, forks, images and builds, on --engine',
    minutes: 60,
    open: anyEngine,
    work: measureSnapshots,
  },
  memory: {
    what: 'memory of the service for each idle computer',
    minutes: 15,
    open: docker,
    work: measureMemory,
  },
  fork: {
    what: 'fork of a running virtual machine, with the images and templates in --seed',
    minutes: 30,
    open: (sides, { seed }) => sides.qemu(seed),
    work: measureFork,
  },
};
