import type { Answer, QueryInput } from '../contract/types/index.js';
import { type CallOptions, splitOptions } from './calls/time-limit.js';
import { Client } from './client.js';
import { ComputerHandle } from './computer/computer.js';
import { type EventsOptions, ServiceEvents } from './events/events.js';
import type { ComputerAddress } from './http/address.js';
import type { ClientOptions } from './options.js';
import { findSettings } from './platform/index.js';
import { Connections, Keys, Owners, Secrets } from './resources/accounts.js';
import { Computers } from './resources/computers.js';
import { Images } from './resources/images.js';
import { Projects } from './resources/projects.js';
import { Publications } from './resources/publications.js';
import { Runs } from './resources/runs.js';
import { Volumes } from './resources/volumes.js';
import { Webhooks } from './resources/webhooks.js';

export interface VirtualComputersOptions extends Partial<Omit<ClientOptions, 'baseUrl'>> {
  /** For example `http://127.0.0.1:4700/api`. */
  readonly baseUrl?: string | undefined;
  /** A profile of the CLI; by default that of VC_PROFILE, or else the current one. */
  readonly profile?: string | undefined;
}

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
  readonly images: Images;
  readonly volumes: Volumes;
  readonly keys: Keys;
  readonly connections: Connections;
  readonly webhooks: Webhooks;
  readonly runs: Runs;
  /** Published ports of all computers. */
  readonly publications: Publications;
  /** Values that can be typed into the computers of a project, and not be read. */
  readonly secrets: Secrets;
  /** For administrators. */
  readonly owners: Owners;

  /**
   * Base URL and key come from the options, or else from VC_BASE_URL and VC_API_KEY, or else from the
   * profile of the CLI; by default it is the service of this machine. A profile's key is only used
   * with the profile's own base URL.
   * @throws TypeError an option is not possible
   */
  constructor(options: VirtualComputersOptions = {}) {
    const { profile, ...given } = options;
    this.client = new Client({ ...given, ...findSettings(given, profile) });
    this.projects = new Projects(this.client);
    this.computers = new Computers(this.client);
    this.images = new Images(this.client);
    this.volumes = new Volumes(this.client);
    this.keys = new Keys(this.client);
    this.connections = new Connections(this.client);
    this.webhooks = new Webhooks(this.client);
    this.runs = new Runs(this.client);
    this.publications = new Publications(this.client);
    this.secrets = new Secrets(this.client);
    this.owners = new Owners(this.client);
  }

  /** The version of the service, and whether its engines can be used. It needs no API key. */
  health(options: CallOptions = {}): Promise<Answer<'health'>> {
    return this.client.request('health', options);
  }

  /** The owner of the key, what the key may do, and how many computers its owner may run. */
  me(options: CallOptions = {}): Promise<Answer<'getMe'>> {
    return this.client.request('getMe', options);
  }

  /** What was used, by day, API key and project, the newest day first. */
  usage(
    options: NonNullable<QueryInput<'getUsage'>> & CallOptions = {},
  ): Promise<Answer<'getUsage'>> {
    const { call, fields: query } = splitOptions(options);
    return this.client.request('getUsage', { query, ...call });
  }

  /**
   * What each computer used in the last hour, or from the time `since` on, by the measurements of the
   * service every 30 seconds.
   */
  async statsHistory(
    options: NonNullable<QueryInput<'listStatsHistory'>> & CallOptions = {},
  ): Promise<Answer<'listStatsHistory'>['computers']> {
    const { call, fields: query } = splitOptions(options);
    return (await this.client.request('listStatsHistory', { query, ...call })).computers;
  }

  /** The members of the cluster; for administrators. */
  async members(options: CallOptions = {}): Promise<Answer<'listMembers'>['members']> {
    return (await this.client.request('listMembers', options)).members;
  }

  /** A member of the cluster; for administrators. */
  member(name: string, options: CallOptions = {}): Promise<Answer<'getMember'>> {
    return this.client.request('getMember', { params: { member: name }, ...options });
  }

  /** Begins to move the computers of a member to others; it gets no new ones. For administrators. */
  drainMember(name: string, options: CallOptions = {}): Promise<Answer<'drainMember'>> {
    return this.client.request('drainMember', { params: { member: name }, ...options });
  }

  /** Lets a drained member have computers again; for administrators. */
  returnMember(name: string, options: CallOptions = {}): Promise<Answer<'returnMember'>> {
    return this.client.request('returnMember', { params: { member: name }, ...options });
  }

  /**
   * What happens to projects and computers, without end:
   *
   * ```ts
   * for await (const event of vc.events({ types: ['computer.status'] })) {
   *   if (event.type === 'computer.status') console.log(event.name, event.status);
   * }
   * ```
   */
  events(options: EventsOptions = {}): ServiceEvents {
    return new ServiceEvents(this.client, options);
  }

  /** The handle of a computer, by its id or its project and name. Nothing is sent. */
  computer(address: { readonly id: string }): ComputerHandle & { readonly id: string };
  computer(address: ComputerAddress): ComputerHandle;
  computer(address: ComputerAddress): ComputerHandle {
    return new ComputerHandle(this.client, address);
  }

  /** Closes kept-alive connections. */
  close(): Promise<void> {
    return this.client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
