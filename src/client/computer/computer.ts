import type { Answer, BodyInput, Computer, QueryInput } from '../../contract/types/index.js';
import { type CallOptions, splitOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import { connectPort, type PortConnection } from '../connection.js';
import type { CommandResult } from '../errors.js';
import { ServiceError } from '../errors.js';
import { ComputerFiles } from '../files/files.js';
import { type ComputerAddress, computerParameters } from '../http/address.js';
import { toStream } from '../http/read-body.js';
import { openProcess, type ProcessRequest, type RemoteProcess } from '../process.js';
import { ComputerActions } from './actions.js';
import { ComputerJobs } from './jobs.js';
import {
  RESETTING,
  requireRunning,
  requireUsable,
  untilAllReady,
  untilReady,
  type WaitOptions,
} from './ready.js';
import { type RunOptions, runCommand } from './run.js';
import { ComputerSnapshots } from './snapshots.js';
import { ComputerTrajectory } from './trajectory.js';
import { reachableBrowser, reachableView } from './view.js';

/** What is copied, and how the call waits. */
export interface ForkOptions extends WaitOptions {
  /** Name of a snapshot of the computer; without it the computer as it is now. */
  readonly snapshot?: string | undefined;
}

/**
 * One computer. Coordinates are pixels from the top left corner. Actions run one after another in
 * call order; each resolves when the input has reached the screen. The last argument of each method
 * takes `signal` and `timeoutMs`, beside its other fields.
 */
export class ComputerHandle extends ComputerActions {
  readonly files: ComputerFiles;
  /** Commands that were started with `background`. */
  readonly jobs: ComputerJobs;
  /** What it can be reset to and forked from. */
  readonly snapshots: ComputerSnapshots;
  /** The recorded actions of all clients. */
  readonly trajectory: ComputerTrajectory;
  #info: Computer | undefined;
  readonly #isOwn: boolean;

  constructor(
    client: Client,
    address: ComputerAddress,
    { info, isOwn = false }: { info?: Computer; isOwn?: boolean } = {},
  ) {
    super(client, address);
    this.#info = info;
    this.#isOwn = isOwn;
    this.files = new ComputerFiles(client, address);
    this.jobs = new ComputerJobs(client, address);
    this.snapshots = new ComputerSnapshots(client, address);
    this.trajectory = new ComputerTrajectory(client, address);
  }

  /** The computer as the service last described it; undefined if it has not been asked yet. */
  get info(): Computer | undefined {
    return this.#info;
  }

  /** Its id; undefined for a handle by name whose computer has not been asked for yet. */
  get id(): string | undefined {
    return 'id' in this.address ? this.address.id : this.#info?.id;
  }

  /** Its name; undefined for a handle by id whose computer has not been asked for yet. */
  get name(): string | undefined {
    return this.#info?.name ?? ('name' in this.address ? this.address.name : undefined);
  }

  /** Asks for its properties and status. */
  async get(options: CallOptions = {}): Promise<Answer<'getComputer'>> {
    return this.#note(await this.operate('getComputer', undefined, options));
  }

  /** What it uses of its host while it runs. */
  stats(options: CallOptions = {}): Promise<Answer<'getStats'>> {
    return this.operate('getStats', undefined, options);
  }

  /** What it used in the last hour, by the measurements of the service every 30 seconds. */
  statsHistory(options: CallOptions = {}): Promise<Answer<'getStatsHistory'>> {
    return this.operate('getStatsHistory', undefined, options);
  }

  /** What it may reach, and the names that it was refused. */
  network(options: CallOptions = {}): Promise<Answer<'getNetwork'>> {
    return this.operate('getNetwork', undefined, options);
  }

  /** Who has control alone, and whether this client's key has it. */
  control(options: CallOptions = {}): Promise<Answer<'getControl'>> {
    return this.operate('getControl', undefined, options);
  }

  /**
   * Takes control, or renews it: input of all others is refused. It ends a minute after the last input
   * of the key. `force` takes it from another.
   */
  takeControl({
    force = false,
    ...options
  }: { readonly force?: boolean } & CallOptions = {}): Promise<Answer<'takeControl'>> {
    return this.operate('takeControl', { force }, options);
  }

  /** Gives control back; has no effect if nobody has it. Throws `controlled` if another has it. */
  async releaseControl(options: CallOptions = {}): Promise<void> {
    await this.operate('releaseControl', undefined, options);
  }

  /** Resolves when it can be used. */
  async start(options: WaitOptions = {}): Promise<Answer<'startComputer'>> {
    return this.#starting('startComputer', options);
  }

  /** Ends its processes; the disk stays. */
  async stop(options: CallOptions = {}): Promise<Answer<'stopComputer'>> {
    return this.#note(await this.operate('stopComputer', undefined, options));
  }

  /** Stops and starts it; resolves when it can be used. */
  async restart(options: WaitOptions = {}): Promise<Answer<'restartComputer'>> {
    return this.#starting('restartComputer', options);
  }

  /** The audit log, newest first. */
  async history(
    options: NonNullable<QueryInput<'listActions'>> & CallOptions = {},
  ): Promise<Answer<'listActions'>['actions']> {
    const { call, fields: query } = splitOptions(options);
    const params = computerParameters(this.address);
    return (await this.client.request('listActions', { params, query, ...call })).actions;
  }

  /**
   * Changes its name, size, labels or settings; omitted fields keep their values. What its machine has
   * from the next start on is in `pending`.
   */
  async update(
    changes: NonNullable<BodyInput<'updateComputer'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<Answer<'updateComputer'>> {
    const { call, fields } = splitOptions({ ...changes, ...options });
    return this.#note(await this.operate('updateComputer', fields, call));
  }

  /**
   * Goes back to a snapshot, or without one to the moment after its creation; what was done since is
   * lost. Resolves when it can be used, if it ran before.
   */
  async reset(snapshot?: string, options: WaitOptions = {}): Promise<Answer<'resetComputer'>> {
    const params = computerParameters(this.address);
    const begin = (query: { wait: '0' | '1' }, call: CallOptions) =>
      this.client.request('resetComputer', { params, query, body: { snapshot }, ...call });
    const computer = this.#note(await untilReady(this.client, options, begin, RESETTING));
    return options.wait === false ? computer : requireUsable(computer);
  }

  /**
   * Copies it, or one of its snapshots, with the disk and, where the engine can, the memory; resolves
   * when the copy can be used. With a list of names makes several copies: all of them, or none.
   */
  async fork(name: string, options?: ForkOptions): Promise<KnownComputer>;
  async fork(names: readonly string[], options?: ForkOptions): Promise<KnownComputer[]>;
  async fork(
    named: string | readonly string[],
    { snapshot, ...options }: ForkOptions = {},
  ): Promise<KnownComputer | KnownComputer[]> {
    const names = typeof named === 'string' ? [named] : [...named];
    const isOne = typeof named === 'string';
    const body = { ...(isOne ? { name: named } : { names }), snapshot };
    const params = computerParameters(this.address);
    const copies = await untilAllReady(this.client, options, async (query, call) => {
      const answer = await this.client.request('forkComputer', { params, query, body, ...call });
      return 'computers' in answer ? answer.computers : [answer];
    });
    if (options.wait !== false) copies.forEach(requireUsable);
    const handles = copies.map((copy) => knownComputer(this.client, copy, { isOwn: true }));
    const [only] = handles;
    return isOne && only !== undefined ? only : handles;
  }

  /** Deletes it and its disk permanently. */
  async delete(options: CallOptions = {}): Promise<void> {
    await this.operate('deleteComputer', undefined, options);
  }

  /** A link to the live view for a browser; it opens once, within a minute. */
  async view(
    mode: 'control' | 'view' = 'control',
    options: CallOptions = {},
  ): Promise<Answer<'view'>> {
    return reachableView(await this.operate('view', { mode }, options), this.client.baseUrl);
  }

  /** Deletes the computer if this handle is the one that `create` or `fork` has resolved to. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOwn) return;
    await this.delete().catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
    });
  }

  /** Streams the screen to an RTMP target; resolves when the first frame is sent. */
  startStream(
    target: NonNullable<BodyInput<'startStream'>> & CallOptions,
    options: CallOptions = {},
  ): Promise<Answer<'startStream'>> {
    const { call, fields } = splitOptions({ ...target, ...options });
    return this.operate('startStream', fields, call);
  }

  /** Whether its screen is streamed, and since when. */
  streamStatus(options: CallOptions = {}): Promise<Answer<'streamStatus'>> {
    return this.operate('streamStatus', undefined, options);
  }

  /** Ends the stream; has no effect if there is none. */
  async stopStream(options: CallOptions = {}): Promise<void> {
    await this.operate('stopStream', undefined, options);
  }

  /**
   * Records the screen as a fragmented MP4 file, which is playable when cut off after any fragment.
   * Without `duration` (seconds) the recording ends when the stream is cancelled.
   */
  async record(
    options: NonNullable<QueryInput<'record'>> & CallOptions = {},
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { call, fields: query } = splitOptions(options);
    const params = computerParameters(this.address);
    return toStream(
      await this.client.requestStream('record', 'video/mp4', { params, query, ...call }),
    );
  }

  /**
   * Runs a command line in a shell (a string), or a program with its arguments (a list), and streams
   * its output to `onStdout` and `onStderr`. Ending the call ends the command.
   */
  run(command: string | readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    return runCommand(this.client, this.address, command, options);
  }

  /** Starts a program and connects its streams. */
  process(request: ProcessRequest): Promise<RemoteProcess> {
    return openProcess(this.client, this.address, request);
  }

  /**
   * Opens the browser for a client of the Chrome DevTools Protocol, such as Playwright:
   * `chromium.connectOverCDP((await computer.browser()).ws_url)`. The address is for one connection.
   */
  async browser(
    input: NonNullable<BodyInput<'openBrowser'>> & CallOptions = {},
    options: CallOptions = {},
  ): Promise<Answer<'openBrowser'>> {
    const { call, fields } = splitOptions({ ...input, ...options });
    const browser = await this.operate('openBrowser', fields, call);
    return reachableBrowser(browser, this.client.baseUrl);
  }

  /**
   * Gives a port of its loopback an address, for HTTP and WebSockets. The answer's `link` has a ticket,
   * which is shown only once; `public` needs none.
   */
  publish(
    port: number,
    input: Omit<NonNullable<BodyInput<'createPublication'>>, 'port'> & CallOptions = {},
    options: CallOptions = {},
  ): Promise<Answer<'createPublication'>> {
    const { call, fields } = splitOptions({ ...input, ...options });
    return this.operate('createPublication', { port, ...fields }, call);
  }

  /** Ends the publication of a port, with its open connections. */
  async unpublish(port: number, options: CallOptions = {}): Promise<void> {
    const params = { ...computerParameters(this.address), port: String(port) };
    await this.client.request('deletePublication', { params, ...options });
  }

  /** Connects to a port on the computer's loopback. */
  connect(port: number, options: CallOptions = {}): Promise<PortConnection> {
    return connectPort(this.client, this.address, port, options);
  }

  async #starting(
    operation: 'startComputer' | 'restartComputer',
    options: WaitOptions,
  ): Promise<Answer<'startComputer'>> {
    const params = computerParameters(this.address);
    const computer = await untilReady(this.client, options, (query, call) =>
      this.client.request(operation, { params, query, ...call }),
    );
    this.#note(computer);
    return options.wait === false ? computer : requireRunning(computer);
  }

  /** Keeps what the service says for {@link info}. */
  #note<C extends Answer<'getComputer'>>(computer: C): C {
    this.#info = computer;
    return computer;
  }
}

/** A computer that the service has described, as `create`, `get` and `fork` resolve to it. */
export interface KnownComputer extends ComputerHandle {
  readonly id: string;
  readonly name: string;
  readonly info: Computer;
}

export function knownComputer(
  client: Client,
  info: Computer,
  { isOwn }: { readonly isOwn: boolean },
): KnownComputer {
  return new ComputerHandle(client, { id: info.id }, { info, isOwn }) as KnownComputer;
}
