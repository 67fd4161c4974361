import type { Answer } from '../../contract/types/index.js';
import type { CallOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';

/** The projects of the key's owner, by name or id. */
export class Projects {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Creates a project. */
  create(name: string, options: CallOptions = {}): Promise<Answer<'createProject'>> {
    return this.#client.request('createProject', { body: { name }, ...options });
  }

  /** The projects of the key's owner. */
  async list(options: CallOptions = {}): Promise<Answer<'listProjects'>['projects']> {
    return (await this.#client.request('listProjects', options)).projects;
  }

  /** A project with its computers. */
  get(project: string, options: CallOptions = {}): Promise<Answer<'getProject'>> {
    return this.#client.request('getProject', { params: { project }, ...options });
  }

  /** Its computers keep their ids and continue to run. The old name is free at once. */
  rename(
    project: string,
    name: string,
    options: CallOptions = {},
  ): Promise<Answer<'updateProject'>> {
    return this.#client.request('updateProject', {
      params: { project },
      body: { name },
      ...options,
    });
  }

  /** Deletes a project, its computers and their disks permanently. */
  async delete(project: string, options: CallOptions = {}): Promise<void> {
    await this.#client.request('deleteProject', { params: { project }, ...options });
  }

  /** Starts all of its computers; the answer has the status of each. */
  start(project: string, options: CallOptions = {}): Promise<Answer<'startProject'>> {
    return this.#client.request('startProject', { params: { project }, ...options });
  }

  /** Stops all of its computers; the answer has the status of each. */
  stop(project: string, options: CallOptions = {}): Promise<Answer<'stopProject'>> {
    return this.#client.request('stopProject', { params: { project }, ...options });
  }

  /** Restarts all of its computers; the answer has the status of each. */
  restart(project: string, options: CallOptions = {}): Promise<Answer<'restartProject'>> {
    return this.#client.request('restartProject', { params: { project }, ...options });
  }
}
