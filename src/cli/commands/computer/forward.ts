import type { AddressInfo, Server, Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Client } from '../../../client/client.js';
import type { ComputerAddress } from '../../../client/http/address.js';
import { computerParameters } from '../../../client/http/address.js';
import { openNodeTunnel } from '../../../client/node/tunnel.js';
import { onAbort } from '../../../lib/async/abort.js';
import { isOfThisUser } from '../../../lib/net/local-sockets.js';
import { printable } from '../../../lib/text/printable.js';
import { UsageError } from '../../errors/cli-error.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { reportOf } from '../../errors/report.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, flag, many, value } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { nonEmpty } from '../../input/parse.js';
import { print, printJson } from '../../output/print.js';
import { isLoopback } from '../../serve/listen.js';
import { listenLocally } from '../../serve/local-port.js';
import { computerAddress, describeAddress, inCommands } from '../../targets/computer-address.js';
import { runningComputer } from '../../targets/computers.js';
import { refuseStopped } from '../../targets/stopped.js';

interface Forward {
  readonly local: number;
  readonly guest: number;
}

export const command = defineCommand({
  name: 'forward',
  aliases: ['port-forward'],
  summary: 'Forward local ports to a computer',
  details: [
    'Forwards 127.0.0.1:LOCAL on this machine to PORT on the loopback interface of the computer.',
    'LOCAL 0 picks a free port. Prints the local addresses and runs until Ctrl-C. On Linux, only',
    'your own programs and those of root can connect to a loopback address; --any-user accepts those',
    'of all users of this machine. A --bind address beyond loopback is open to everyone who reaches it.',
  ].join(' '),
  arguments: { computer: runningComputer, ports: many('port', 'LOCAL:PORT, or PORT for both') },
  options: {
    bind: value('--bind <address>', 'local address to listen on', nonEmpty, {
      otherwise: '127.0.0.1',
    }),
    anyUser: flag('--any-user', 'accept connections of other users of this machine'),
  },
  examples: [
    {
      does: 'Open a web server of the computer',
      command: 'vc forward demo/desktop 8080:80',
    },
    { does: 'Forward several ports', command: 'vc forward demo/desktop 3000 5432' },
  ],
  async run(context, { computer, ports }, { bind = '127.0.0.1', anyUser }) {
    const forwards = ports.map(parseForward);
    const address = await computerAddress(context, computer);
    const client = await context.client();
    const { signal } = context.interrupts;
    const params = computerParameters(address);
    const { status } = await client.request('getComputer', { params, signal });
    refuseStopped(status, describeAddress(address), inCommands(context, computer));
    const release = context.interrupts.capture(() => stop.abort());
    const stop = new AbortController();
    const servers: Server[] = [];
    const open = new Set<Socket>();
    const check = userCheck(context);
    try {
      const forwarded = [];
      for (const { local, guest } of forwards) {
        const server = await listenLocally(local, bind);
        servers.push(server);
        const at = server.address() as AddressInfo;
        const isShared = anyUser || !isLoopback(at.address.replace(/^::ffff:/, ''));
        server.on('connection', async (socket) => {
          open.add(socket);
          socket.once('close', () => open.delete(socket));
          socket.on('error', () => undefined);
          if (!isShared && !(await check(socket))) return;
          await join(context, client, address, { socket, port: guest, stop: stop.signal });
        });
        forwarded.push({ address: bind, local: at.port, port: guest });
      }
      await printForwards(context, forwarded, describeAddress(address));
      await new Promise<void>((resolve) => onAbort(stop.signal, () => resolve()));
      return ExitCode.ok;
    } finally {
      stop.abort();
      for (const server of servers) server.close();
      for (const socket of open) socket.destroy();
      release();
    }
  },
});

function parseForward(text: string): Forward {
  const match = /^(?:(\d{1,5}):)?(\d{1,5})$/.exec(text);
  const guest = Number(match?.[2]);
  const local = match?.[1] === undefined ? guest : Number(match[1]);
  if (match === null || guest < 1 || guest > 65_535 || local > 65_535) {
    throw new UsageError(`PORT: must be LOCAL:PORT or PORT, up to 65535, not ${text}`);
  }
  return { local, guest };
}

async function printForwards(
  context: Context,
  forwards: readonly { address: string; local: number; port: number }[],
  computer: string,
): Promise<void> {
  if (context.globals.json) return printJson(context, { forwards });
  for (const { address, local, port } of forwards) {
    const host = address.includes(':') ? `[${address}]` : address;
    if (context.globals.quiet) await print(context, `${host}:${local}`);
    else {
      // Terminals open a URL on a click, but not an address.
      const url = `http://${reachable(host)}:${local}`;
      const from = context.io.stdout.isTTY ? url : `${host}:${local}`;
      await print(context, printable(`${from} -> ${computer} port ${port}`));
    }
  }
}

/** The loopback address for one that stands for every address of this machine. */
function reachable(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '[::]' ? '[::1]' : host;
}

/**
 * Closes connections of other users of this machine, with one message for all: what listens on the
 * loopback interface of a computer often asks for no password.
 */
function userCheck({ io }: Context): (socket: Socket) => Promise<boolean> {
  let isReported = false;
  return async (socket) => {
    if (process.platform !== 'linux') return true;
    if (isOfThisUser(socket)) return true;
    socket.resetAndDestroy();
    if (!isReported) {
      isReported = true;
      await write(io.stderr, 'refused a connection of another user; to accept them: --any-user\n');
    }
    return false;
  };
}

/** Connects a socket with a port of the computer. */
async function join(
  context: Context,
  client: Client,
  address: ComputerAddress,
  { socket, port, stop }: { socket: Socket; port: number; stop: AbortSignal },
): Promise<void> {
  try {
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const tunnel = await openNodeTunnel(client, address, port, { signal: gone.signal });
    await Promise.all([pipeline(socket, tunnel), pipeline(tunnel, socket)]);
  } catch (error) {
    const wasOpen = !socket.destroyed;
    socket.resetAndDestroy();
    const { name } = error as { name?: string };
    const isOurs =
      name === 'ServiceError' || name === 'ServiceUnreachableError' || name === 'ApiError';
    if (stop.aborted || !isOurs || !wasOpen) return;
    await write(context.io.stderr, `port ${port}: ${printable(reportOf(error).message)}\n`);
  }
}
