import { join, resolve } from 'node:path';
import { linkMachines } from '../service.js';
import { startEngine } from './engine.js';
import { buildImage } from './image.js';
import { openSide } from './side.js';

/**
 * What the lines measure: services of each checkout. A checkout has a Docker Engine of its own with
 * the image of its own recipe, so both sides are what a user of that version has.
 */
export class Sides {
  #checkouts;
  /** Engines and services on them, the last opened first. */
  #closers = [];
  /** Services of one line. */
  #lineClosers = [];
  #docker;

  /** @param checkouts `{name, checkout, data}` of each, `data` its directory in the cache */
  constructor(checkouts) {
    this.#checkouts = checkouts.map((given) => ({
      ...given,
      vc: join(resolve(given.checkout), 'bin/vc.js'),
    }));
  }

  /** Services without a warm pool on Docker, each with one running computer, for all lines. */
  async docker() {
    this.#docker ??= await this.#each((one) => this.#openDocker(one));
    return this.#docker;
  }

  /** Further services on the same Engines, with one warm machine if that version has them. */
  async withWarmPool() {
    const opened = await this.docker();
    return this.#each(async ({ name, vc }, at) => {
      const { engine, env } = opened[at];
      const flags = ['--engine', 'docker', '--spares', '1'];
      const side = await openSide(name, vc, { flags, env });
      this.#lineClosers.unshift(side.close);
      return { ...side, engine };
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
    this.#docker = undefined;
    await closeAll(this.#closers.splice(0));
  }

  /** One after the other: each may build an image. */
  async #each(open) {
    const opened = [];
    for (const [at, checkout] of this.#checkouts.entries()) opened.push(await open(checkout, at));
    return opened;
  }

  async #openDocker({ name, vc, data }) {
    const engine = await startEngine(data);
    this.#closers.unshift(engine.stop);
    const env = { DOCKER_HOST: engine.host };
    await buildImage(vc, env);
    const side = await openSide(name, vc, { flags: ['--engine', 'docker'], env });
    this.#closers.unshift(side.close);
    const id = await side.create('one');
    return { ...side, engine, env, id, path: `/computers/${id}`, container: `vc-${id}` };
  }
}

/** An error must not leave the others open. */
async function closeAll(closers) {
  for (const close of closers) await close().catch((error) => console.error(error));
}
