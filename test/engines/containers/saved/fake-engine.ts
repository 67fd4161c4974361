import { setImmediate } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type Dialect, speak } from '../../../../src/engines/containers/dialect.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';

export interface FakeImage {
  readonly id: string;
  tags: string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly layers?: number;
}

export interface FakeContainer {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  state: string;
}

interface CreateOptions {
  readonly name: string;
  readonly Image: string;
  readonly Labels: Readonly<Record<string, string>>;
}

interface CommitOptions {
  readonly repo: string;
  readonly tag: string;
  readonly pause: boolean;
  readonly changes: readonly string[];
}

class EngineError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** An Engine with images and containers, which does to them what a real one does. */
export class FakeContainerEngine {
  readonly calls: string[] = [];
  #isRemoving = false;
  images: FakeImage[] = [];
  containers: FakeContainer[] = [];
  readonly docker: Docker;
  /** Called in the middle of a commit. */
  onCommit: () => Promise<void> = async () => undefined;

  constructor(dialect: Dialect = dockerDialect) {
    const docker = {
      modem: { host: undefined },
      listImages: async ({ filters }: { filters?: { label?: string[] } } = {}) =>
        this.images
          .filter(({ labels }) => matches(labels, filters?.label))
          .map(({ id, tags, labels }) => ({ Id: id, RepoTags: tags, Labels: labels })),
      listContainers: async ({ filters }: { filters?: { label?: string[] } } = {}) =>
        this.containers
          .filter(({ labels }) => matches(labels, filters?.label))
          .map(({ id, name, labels, state }) => ({
            ...{ Id: id, Names: [`/${name}`], Labels: labels, State: state },
          })),
      getImage: (name: string) => this.#image(name),
      getContainer: (name: string) => this.#container(name),
      createContainer: async ({ name, Image, Labels }: CreateOptions) => {
        if (this.containers.some((each) => each.name === name)) {
          throw new EngineError(409, 'Conflict. The container name is already in use');
        }
        this.calls.push(`create ${name}`);
        this.containers.push({ id: name, name, image: Image, labels: Labels, state: 'created' });
        return { id: name };
      },
    };
    this.docker = speak(docker as unknown as Docker, dialect);
  }

  tags(): string[] {
    return this.images.flatMap(({ tags }) => tags);
  }

  #image(name: string) {
    const find = () => {
      const found = this.images.find(({ id, tags }) => id === name || tags.includes(name));
      if (found === undefined) throw new EngineError(404, `No such image: ${name}`);
      return found;
    };
    return {
      inspect: async () => {
        const { id, labels, layers = 1 } = find();
        return { Id: id, Config: { Labels: labels }, RootFS: { Layers: Array(layers) } };
      },
      tag: async ({ repo, tag }: { repo: string; tag: string }) => {
        const image = find();
        const added = `${repo}:${tag}`;
        for (const each of this.images) each.tags = each.tags.filter((one) => one !== added);
        image.tags.push(added);
      },
      remove: async ({ force }: { force?: boolean }) => {
        const image = find();
        // As Docker, which removes the parents as well.
        if (this.#isRemoving) throw new EngineError(500, 'unrecognized image ID');
        this.#isRemoving = true;
        await setImmediate();
        this.#isRemoving = false;
        this.calls.push(`remove ${name}${force ? ' by force' : ''}`);
        const left = image.tags.filter((tag) => tag !== name);
        if (left.length === 0 && this.containers.some((each) => each.image === image.id)) {
          throw new EngineError(409, 'conflict: unable to remove repository reference');
        }
        image.tags = left;
        if (left.length === 0) this.images = this.images.filter((each) => each !== image);
      },
    };
  }

  #container(name: string) {
    const find = () => {
      const found = this.containers.find((each) => each.id === name || each.name === name);
      if (found === undefined) throw new EngineError(404, `No such container: ${name}`);
      return found;
    };
    return {
      id: name,
      inspect: async () => {
        const { id, image, labels, state } = find();
        const State = { Running: /running|paused/.test(state), Paused: state === 'paused' };
        return { Id: id, Image: image, Config: { Labels: labels }, State, SizeRw: 123 };
      },
      unpause: async () => {
        this.calls.push(`unpause ${name}`);
        find().state = 'running';
      },
      remove: async () => {
        this.calls.push(`remove ${name}`);
        this.containers = this.containers.filter((each) => each !== find());
      },
      commit: async ({ repo, tag, pause, changes }: CommitOptions) => {
        const container = find();
        this.calls.push(`commit ${name} ${pause ? 'paused' : 'running'}`);
        const changed = changes.map((each) => each.replace('LABEL ', '').split('='));
        const labels = { ...container.labels, ...Object.fromEntries(changed) };
        const made: FakeImage = { id: `sha256:${this.images.length + 1}`, tags: [], labels };
        this.images.push(made);
        await this.onCommit();
        made.tags.push(`${repo}:${tag}`);
      },
    };
  }
}

function matches(labels: Readonly<Record<string, string>>, wanted: readonly string[] = []) {
  return wanted.every((each) => {
    const [name = '', value] = each.split('=');
    return value === undefined ? name in labels : labels[name] === value;
  });
}
