import { DEFAULT_BASE_URL } from '../contract/constants.js';
import type { Answer, BodyInput } from '../contract/index.js';
import { Client, type ClientOptions } from './client.js';
import { ComputerHandle } from './computer.js';
import type { ComputerAddress } from './http/address.js';
import { Owners } from './owners.js';

export interface VirtualComputersOptions extends Partial<ClientOptions> {}

/**
 * The service as an object.
 *
 * ```ts
 * const vc = new VirtualComputers({ apiKey: process.env.VC_API_KEY });
 * await vc.projects.create('demo');
 * const desktop = await vc.computers.create('demo', { name: 'desktop' });
 * await desktop.click(640, 400);
 * await writeFile('screen.png', await desktop.screenshot());
 * ```
 */
export class VirtualComputers {
  readonly client: Client;
  readonly projects: Projects;
  readonly computers: Computers;
  readonly keys: Keys;
  readonly connections: Connections;
  /** For administrators. */
  readonly owners: Owners;

  /** Base URL: the local service by default. */
  constructor(options: VirtualComputersOptions = {}) {
    this.client = new Client({ ...options, baseUrl: options.baseUrl ?? DEFAULT_BASE_URL });
    this.projects = new Projects(this.client);
    this.computers = new Computers(this.client);
    this.keys = new Keys(this.client);
    this.connections = new Connections(this.client);
    this.owners = new Owners(this.client);
  }

  health(): Promise<Answer<'health'>> {
    return this.client.request('health');
  }

  /** The machine images of every engine, and the engines that could not list theirs. */
  images(): Promise<Answer<'listImages'>> {
    return this.client.request('listImages');
  }

  /** The handle of a computer, by its id or its project and name. Nothing is sent. */
  computer(address: ComputerAddress): ComputerHandle {
    return new ComputerHandle(this.client, address);
  }

  /** Closes kept-alive connections. */
  close(): Promise<void> {
    return this.client.close();
  }
}

class Projects {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  create(name: string): Promise<Answer<'createProject'>> {
    return this.#client.request('createProject', { body: { name } });
  }

  async list(): Promise<Answer<'listProjects'>['projects']> {
    return (await this.#client.request('listProjects')).projects;
  }

  /** A project, by name or id, with its computers. */
  get(project: string): Promise<Answer<'getProject'>> {
    return this.#client.request('getProject', { params: { project } });
  }

  /** Deletes a project, its computers and their disks permanently. */
  async delete(project: string): Promise<void> {
    await this.#client.request('deleteProject', { params: { project } });
  }

  start(project: string): Promise<Answer<'startProject'>> {
    return this.#client.request('startProject', { params: { project } });
  }

  stop(project: string): Promise<Answer<'stopProject'>> {
    return this.#client.request('stopProject', { params: { project } });
  }

  restart(project: string): Promise<Answer<'restartProject'>> {
    return this.#client.request('restartProject', { params: { project } });
  }
}

class Computers {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates a computer and starts it; resolves when it can be used. */
  async create(
    project: string,
    body: NonNullable<BodyInput<'createComputer'>>,
  ): Promise<ComputerHandle> {
    const { id } = await this.#client.request('createComputer', { params: { project }, body });
    return new ComputerHandle(this.#client, { id });
  }

  async list(project: string): Promise<Answer<'listComputers'>['computers']> {
    return (await this.#client.request('listComputers', { params: { project } })).computers;
  }

  /** The handle of a computer; rejects if it does not exist. */
  async get(address: ComputerAddress): Promise<ComputerHandle> {
    const handle = new ComputerHandle(this.#client, address);
    const { id } = await handle.get();
    return new ComputerHandle(this.#client, { id });
  }
}

class Keys {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates an API key. Only this answer contains its text. */
  create(name: string): Promise<Answer<'createKey'>> {
    return this.#client.request('createKey', { body: { name } });
  }

  async list(): Promise<Answer<'listKeys'>['keys']> {
    return (await this.#client.request('listKeys')).keys;
  }

  async delete(id: string): Promise<void> {
    await this.#client.request('deleteKey', { params: { key: id } });
  }
}

class Connections {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Stores an RTMP target under a name. Its stream key is never shown again. */
  create(body: NonNullable<BodyInput<'createConnection'>>): Promise<Answer<'createConnection'>> {
    return this.#client.request('createConnection', { body });
  }

  async list(): Promise<Answer<'listConnections'>['connections']> {
    return (await this.#client.request('listConnections')).connections;
  }

  async delete(name: string): Promise<void> {
    await this.#client.request('deleteConnection', { params: { name } });
  }
}
