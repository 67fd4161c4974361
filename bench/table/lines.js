import { measureDesktops } from './lines/desktops.js';
import { measureFiles } from './lines/files.js';
import { measureFork } from './lines/fork.js';
import { measureMemory } from './lines/memory.js';
import { measureRequests } from './lines/requests.js';
import { measureScreenshots } from './lines/screenshots.js';
import { measureStart } from './lines/start.js';
import { measureStopped } from './lines/stopped.js';
import { measureWarmPool } from './lines/warm-pool.js';

const docker = (sides) => sides.docker();

/** By name, in the order in which they are measured: what they need, and the most they may take. */
export const LINES = {
  requests: {
    what: 'health, GET of a computer, click and command: latency and throughput',
    ...{ minutes: 15, open: docker, work: measureRequests },
  },
  screenshots: {
    what: 'a still screen, a caret and a terminal: latency and processor time',
    ...{ minutes: 15, open: docker, work: measureScreenshots },
  },
  files: {
    what: 'copies of 256 MiB and 1 kB',
    ...{ minutes: 20, open: docker, work: measureFiles },
  },
  'warm-pool': {
    what: 'create to usable with a warm pool on Docker',
    ...{ minutes: 20, open: (sides) => sides.withWarmPool(), work: measureWarmPool },
  },
  start: {
    what: 'processor time of a desktop until it is idle',
    ...{ minutes: 15, open: docker, work: measureStart },
  },
  memory: {
    what: 'memory of the service for each idle computer',
    ...{ minutes: 15, open: docker, work: measureMemory },
  },
  stopped: {
    what: 'memory of the service for a thousand stopped computers, of this checkout only',
    ...{ minutes: 10, open: async () => undefined, work: measureStopped },
  },
  fork: {
    what: 'fork of a running virtual machine, with the images and templates in --seed',
    ...{ minutes: 30, open: (sides, { seed }) => sides.qemu(seed), work: measureFork },
  },
  desktops: {
    what: 'creation and deletion of many desktops, and their memory',
    ...{ minutes: 60, open: docker },
    work: (sides, { desktops }) => measureDesktops(sides, desktops),
  },
};
