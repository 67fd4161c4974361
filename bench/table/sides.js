import { join, resolve } from 'node:path';
import Docker from 'dockerode';
import { linkMachines } from '../service.js';
import { startEngine } from './engine.js';
import { buildImage } from './image.js';
import { startPodman } from './podman.js';
import { openSide } from './side.js';

/**
 * What the lines measure: services of each checkout. A checkout has a Docker Engine or a Podman of its
 * own with the image of its own recipe, so both sides are what a user of that version has.
 */
export class Sides {
  #checkouts;
  /** Engines and services on them, the last opened first. */
  #closers = [];
  /** Services of one line. */
  #lineClosers = [];
  /** By the name of their engine. */
  #opened = new Map();

  /** @param checkouts `{name, checkout, data}` of each, `data` a word for its directory in the cache */
  constructor(checkouts) {
    this.#checkouts = checkouts.map((given) => ({
      ...given,
      vc: join(resolve(given.checkout), 'bin/vc.js'),
    }));
  }

  /** Services without a warm pool on Docker or Podman, each with one running computer, for all lines. */
  async containers(engine) {
    if (!this.#opened.has(engine)) {
      this.#opened.set(engine, await this.#each((one) => this.#openContainers(engine, one)));
    }
    return this.#opened.get(engine);
  }

  /** Further services on the same engines, with one warm machine if that version has them. */
  async withWarmPool(engine) {
    const opened = await this.containers(engine);
    return this.#each(async ({ name, vc }, at) => {
      const { host } = opened[at];
      const flags = ['--engine', engine, '--spares', '1'];
      const side = await openSide(name, vc, { flags, ...host });
      this.#lineClosers.unshift(side.close);
      return { ...side, engine: engineOf(engine, host, side) };
    });
  }

  /** Services on QEMU with the images and templates of a state directory. */
  async qemu(seed) {
    return this.#each(async ({ name, vc }) => {
      const flags = ['--engine', 'qemu'];
      const side = await openSide(name, vc, { flags, prepare: linkMachines(seed) });
      this.#lineClosers.unshift(side.close);
      return side;
    });
  }

  async closeLine() {
    await closeAll(this.#lineClosers.splice(0));
  }

  async close() {
    await this.closeLine();
    this.#opened.clear();
    await closeAll(this.#closers.splice(0));
  }

  /** One after the other: each may build an image. */
  async #each(open) {
    const opened = [];
    for (const [at, checkout] of this.#checkouts.entries()) opened.push(await open(checkout, at));
    return opened;
  }

  async #openContainers(engine, { name, vc, data }) {
    const host = await START[engine](data);
    this.#closers.unshift(host.stop);
    await buildImage(vc, engine, host);
    const side = await openSide(name, vc, { flags: ['--engine', engine], ...host });
    this.#closers.unshift(side.close);
    const id = await side.create('one');
    return {
      ...{ ...side, host, id, path: `/computers/${id}`, container: `vc-${id}` },
      engine: engineOf(engine, host, side),
    };
  }
}

const START = {
  docker: async (data) => {
    const engine = await startEngine(`bench-docker${data}`);
    return { ...engine, env: { DOCKER_HOST: engine.host } };
  },
  podman: (data) => startPodman(`bench-podman${data}`),
};

/** An engine of containers: its name and a client of its API. */
function engineOf(name, { docker }, { service }) {
  if (docker) return { name, docker };
  // The service's own, which runs as long as it.
  const socketPath = join(service.state, 'podman', `${service.pid}.sock`);
  return { name, docker: new Docker({ socketPath }) };
}

/** An error must not leave the others open. */
async function closeAll(closers) {
  for (const close of closers) await close().catch((error) => console.error(error));
}
