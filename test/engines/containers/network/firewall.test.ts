import { PassThrough } from 'node:stream';
import type Docker from 'dockerode';
import { beforeEach, expect, it } from 'vitest';
import { speak } from '../../../../src/engines/containers/dialect.js';
import { LABEL } from '../../../../src/engines/containers/ids.js';
import { Firewall } from '../../../../src/engines/containers/network/firewall.js';
import { removalOf, tableName } from '../../../../src/engines/containers/network/firewall-rules.js';
import { dockerDialect } from '../../../../src/engines/docker/client.js';
import { eventually } from '../../../support/eventually.js';

const SERVICE = 'svc_1';

/** The connection to a guard that answers checks, in the Engine's attach format. */
class GuardSocket extends PassThrough {
  readonly #onLine: (line: string, socket: GuardSocket) => void;

  constructor(onLine: (line: string, socket: GuardSocket) => void) {
    super();
    this.#onLine = onLine;
  }

  /** What the service writes; the answers are pushed. */
  override _transform(chunk: Buffer, _encoding: string, done: () => void) {
    for (const line of chunk.toString().trim().split('\n')) this.#onLine(line, this);
    done();
  }

  say(line: string): void {
    const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
    head.writeUInt32BE(line.length + 1, 4);
    this.push(Buffer.concat([head, Buffer.from(`${line}\n`)]));
  }
}

/** What the answer to a line begins with. */
const nameOf = (line: string) => line.replace(/^(?:policy|keep|names) (\S+).*/, '$1');

let guards: Docker.ContainerInfo[];
let sockets: GuardSocket[];
/** What was run on the Engine's host. */
let done: string[];
let onLine: (line: string, socket: GuardSocket) => void;
beforeEach(() => {
  [guards, sockets, done] = [[], [], []];
  onLine = (line, socket) => socket.say(`${nameOf(line)} ok`);
});

const docker = speak(
  {
    modem: { getSocketPath: async () => '/docker.sock' },
    listContainers: async () => guards,
    createContainer: async ({ _body }: { _body: { Labels: Record<string, string> } }) => {
      const Id = `guard-${sockets.length + 1}`;
      guards.push({ Id, State: 'running', Labels: _body.Labels } as Docker.ContainerInfo);
      return { id: Id, start: async () => undefined };
    },
    getContainer: (id: string) => ({
      attach: async () => {
        const socket = new GuardSocket((line, own) => onLine(line, own));
        sockets.push(socket);
        return socket;
      },
      remove: async () => {
        guards = guards.filter(({ Id }) => Id !== id);
        for (const socket of sockets) socket.destroy();
      },
    }),
  } as unknown as Docker,
  dockerDialect,
);
const helper = {
  run: async ({ command }: { command: readonly string[] }) => {
    done.push(command.join(' '));
    return { code: 0, output: '' };
  },
  config: async () => ({}),
};
const open = () =>
  new Firewall(docker, helper, {
    serviceId: SERVICE,
    internet: true,
    allowNetworks: [],
    networks: () => new Map(),
  });
const REMOVAL = removalOf(tableName(SERVICE)).join(' ');

it('removes the rules by their guard', async () => {
  const firewall = open();
  await firewall.ensure();
  expect(guards[0]?.Labels[LABEL.firewall]).toBe(SERVICE);
  onLine = (line, socket) => socket.say(line === 'end' ? 'ended' : `${nameOf(line)} ok`);
  await firewall.remove();
  expect([guards, done]).toEqual([[], []]);
});

it('removes the rules itself when the guard ends without having removed them', async () => {
  const firewall = open();
  await firewall.ensure();
  onLine = (_, socket) => void socket.destroy();
  await firewall.remove();
  expect([guards, done]).toEqual([[], [REMOVAL]]);
});

it('removes the rules when the connection to the guard was lost before', async () => {
  const firewall = open();
  await firewall.ensure();
  firewall.disconnect();
  await firewall.remove();
  expect([guards, done]).toEqual([[], [REMOVAL]]);
});

it('does nothing when no rules were loaded', async () => {
  await open().remove();
  expect(done).toEqual([]);
});

it('a check that is in progress brings no rules back', async () => {
  const firewall = open();
  await firewall.ensure();
  let isAsked = false;
  onLine = (line, socket) => {
    if (line === 'end') socket.say('ended');
    else isAsked = true;
  };
  const checking = firewall.ensure().catch(() => 'failed');
  await eventually(async () => isAsked);
  onLine = (line, socket) => socket.say(line === 'end' ? 'ended' : `${nameOf(line)} ok`);
  await firewall.remove();
  expect(await checking).toBe('failed');
  expect(guards).toEqual([]);
});
