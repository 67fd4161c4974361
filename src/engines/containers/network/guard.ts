import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { ApiError } from '../../../contract/errors.js';
import { within } from '../../../lib/async/deadline.js';
import { type Deferred, deferred } from '../../../lib/async/deferred.js';
import { ask, QUICK_MS, STEP_MS } from '../client.js';
import type { HelperRunner } from '../helper.js';
import { LABEL, serviceHash } from '../ids.js';
import { closeLate, ExecStream } from '../machine/exec-stream.js';
import { listContainers, removeContainer } from '../requests.js';
import { describeOwner } from './guard-owner.js';
import { POLICY_DIRECTORY } from './guard-script.js';
import type { Policy } from './policies.js';

/**
 * Time for a check, in milliseconds; it takes some tens, on a busy host seconds. A container that is
 * being removed may accept a connection and never answer.
 */
const ANSWER_MS = 5_000;

interface Answer {
  readonly hasFailed: boolean;
  readonly text: string;
}

/**
 * A connection to the container that keeps a service's rules in the kernel of the Engine's host.
 * The container outlives the service and restarts with the Engine.
 */
export class Guard {
  readonly #stream: ExecStream;
  readonly #waiting = new Map<string, Deferred<Answer>>();
  #count = 0;
  #current: Promise<unknown> = Promise.resolve();
  #next: Promise<string | undefined> | undefined;

  constructor(stream: ExecStream) {
    this.#stream = stream;
    stream.on('error', () => undefined);
    stream.on('close', () => {
      for (const waiting of this.#waiting.values()) waiting.reject(lost());
    });
    linesOf(stream, (line) => {
      const [, name = '', word, text = ''] = /^(\S+) (ok|failed) ?(.*)$/.exec(line) ?? [];
      this.#waiting.get(name)?.resolve({ hasFailed: word === 'failed', text });
    });
  }

  /**
   * Checks the rules now and restores them if necessary. Resolves with the reason if that fails.
   * Calls during a check share the next one.
   */
  check(): Promise<string | undefined> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined;
      const checking = this.#ask('', '', ANSWER_MS);
      this.#current = checking.catch(() => undefined);
      return checking;
    });
    return this.#next;
  }

  /** Removes the rules. Rejects if it is not known that they were removed. */
  async end(): Promise<void> {
    if (this.#stream.destroyed) throw lost();
    const ended = new Promise<void>((resolve, reject) => {
      this.#stream.once('close', () => reject(lost()));
      linesOf(this.#stream, (line) => line === 'ended' && resolve());
    });
    this.#stream.write('end\n');
    await within(ended, { ms: QUICK_MS, onTimeout: lost });
  }

  close(): void {
    this.#stream.destroy();
  }

  /** Sets or removes the policy of a bridge. Resolves with the reason if that fails. */
  setPolicy(bridge: string, policy: Policy | undefined): Promise<string | undefined> {
    const base64 = (text = '') => Buffer.from(text).toString('base64') || '-';
    const parts = [policy?.rules, policy?.names, policy?.throttle].map(base64);
    return this.#ask('policy ', ` ${bridge} ${parts.join(' ')}`);
  }

  /** Removes the policies of all other bridges. */
  async keepPolicies(bridges: readonly string[]): Promise<void> {
    await this.#ask('keep ', ['', ...bridges].join(' '));
  }

  /** Resolves with the reason if the host cannot have these queues. */
  tryThrottle(throttle: Policy['throttle']): Promise<string | undefined> {
    return this.#ask('throttle ', ` ${Buffer.from(throttle).toString('base64')}`);
  }

  /** Whether it can serve the domains of a policy: its image has dnsmasq. */
  async hasNameServer(): Promise<boolean> {
    return (await this.#ask('names ')) === undefined;
  }

  /** The names that the policy of a bridge has refused, as the guard stores them. */
  async refusedNames(bridge: string): Promise<string> {
    const { text } = await this.#send('refused ', ` ${bridge}`, QUICK_MS);
    return Buffer.from(text, 'base64').toString();
  }

  /** The reason if it has failed. */
  async #ask(before = '', after = '', ms = QUICK_MS): Promise<string | undefined> {
    const { hasFailed, text } = await this.#send(before, after, ms);
    return hasFailed ? text : undefined;
  }

  async #send(before: string, after: string, ms: number): Promise<Answer> {
    if (this.#stream.destroyed) throw lost();
    this.#count += 1;
    // Another connection of an earlier service may still read the same output.
    const name = `${process.pid}-${this.#count}`;
    const answer = deferred<Answer>();
    this.#waiting.set(name, answer);
    try {
      this.#stream.write(`${before}${name}${after}\n`);
      return await within(answer.promise, { ms, onTimeout: lost });
    } finally {
      this.#waiting.delete(name);
    }
  }
}

/** An error of the stream ends the lines; it is handled where the stream is. */
function linesOf(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream })
    .on('line', onLine)
    // It repeats each error of its input, and one without a listener would end the process.
    .on('error', () => undefined);
}

/** Connects to the guard with this command, creates it unless it runs, and removes other guards. */
export async function openGuard(
  docker: Docker,
  helper: HelperRunner,
  serviceId: string,
  command: readonly string[],
): Promise<Guard> {
  const rules = createHash('sha256').update(JSON.stringify(command)).digest('hex').slice(0, 16);
  const [guards, image] = await Promise.all([
    listGuards(docker, serviceId),
    imageOf(docker, helper),
  ]);
  const labels = {
    [LABEL.firewall]: serviceId,
    [LABEL.rules]: rules,
    [LABEL.process]: await describeOwner(docker),
  };
  const present = guards.find(
    ({ State, Labels, ImageID }) =>
      State === 'running' &&
      (image === undefined || bare(ImageID) === image) &&
      Object.entries(labels).every(([name, value]) => Labels[name] === value),
  );
  const id = present?.Id ?? (await createGuard(docker, helper, serviceId, command, labels));
  const guard = new Guard(await attach(docker, id));
  try {
    await guard.check();
    // Last, so that the rules always have a guard.
    await removeGuards(
      docker,
      guards.filter(({ Id }) => Id !== id),
    );
    return guard;
  } catch (error) {
    guard.close();
    await removeGuards(docker, [{ Id: id }]).catch(() => undefined);
    throw error;
  }
}

/** The image of a new guard; undefined if it is not known. After a build it is another one. */
async function imageOf(docker: Docker, helper: HelperRunner): Promise<string | undefined> {
  try {
    const { Image = '' } = await helper.config({
      command: ['true'],
      capabilities: [],
      network: 'none',
    });
    const found = await ask(docker, QUICK_MS, undefined, () => docker.getImage(Image).inspect());
    return bare(found.Id);
  } catch {
    return undefined;
  }
}

/** Podman's ids have no prefix in some answers. */
function bare(id: string): string {
  return id.replace(/^sha256:/, '');
}

export function listGuards(docker: Docker, serviceId?: string): Promise<Docker.ContainerInfo[]> {
  const label = serviceId === undefined ? LABEL.firewall : `${LABEL.firewall}=${serviceId}`;
  return listContainers(docker, { label: [label] });
}

export async function removeGuards(
  docker: Docker,
  guards: readonly Pick<Docker.ContainerInfo, 'Id'>[],
): Promise<void> {
  for (const { Id } of guards) await removeContainer(docker, Id);
}

async function createGuard(
  docker: Docker,
  helper: HelperRunner,
  serviceId: string,
  command: readonly string[],
  labels: Readonly<Record<string, string>>,
): Promise<string> {
  const config = await helper.config({ command, capabilities: ['NET_ADMIN'], network: 'host' });
  const name = `vc-firewall-${serviceHash(serviceId).slice(0, 12)}-${Date.now().toString(36)}`;
  const body: Docker.ContainerCreateOptions = {
    ...config,
    Labels: { ...labels },
    OpenStdin: true,
    StopSignal: 'SIGKILL',
    Volumes: { [POLICY_DIRECTORY]: {} },
    HostConfig: {
      ...config.HostConfig,
      RestartPolicy: { Name: 'unless-stopped' },
      // A dnsmasq for each machine with a list of domains, and four connections of it.
      PidsLimit: 4096,
      Memory: 2 ** 30,
      MemorySwap: 2 ** 30,
    },
  };
  // Otherwise the library puts the whole body into the URL too, which becomes too long.
  const apart = { _query: { name }, _body: body };
  const container = await ask(docker, STEP_MS, undefined, (abortSignal) =>
    docker.createContainer(Object.assign(apart, { abortSignal })),
  );
  await ask(docker, STEP_MS, undefined, (abortSignal) => container.start({ abortSignal }));
  return container.id;
}

async function attach(docker: Docker, id: string): Promise<ExecStream> {
  const options = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
  const socket = await ask(docker, QUICK_MS, undefined, async (abortSignal) => {
    const opened = (await docker.getContainer(id).attach(options)) as unknown as Socket;
    if (abortSignal.aborted) closeLate(opened);
    return opened;
  });
  const stream = new ExecStream(socket);
  // Ends the line that Podman makes of the body of the request.
  stream.write('\n');
  return stream;
}

function lost(): ApiError {
  const message = 'The container that keeps the firewall rules does not answer.';
  return new ApiError('engine_unavailable', message, { remedy: 'vc doctor' });
}
