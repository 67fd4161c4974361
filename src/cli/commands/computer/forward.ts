import { createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { ComputerAddress } from '../../../client/address.js';
import { computerParameters } from '../../../client/address.js';
import type { Client } from '../../../client/client.js';
import { computerAddress, describeAddress, inCommands } from '../../address.js';
import { runningComputer } from '../../computers.js';
import type { Context } from '../../context.js';
import { defineCommand, many, value } from '../../define.js';
import { CliError, UsageError } from '../../errors.js';
import { ExitCode } from '../../exit-codes.js';
import { write } from '../../io.js';
import { print, printJson } from '../../output.js';
import { nonEmpty } from '../../parse.js';
import { reportOf } from '../../report.js';
import { printable } from '../../style.js';

interface Forward {
  readonly local: number;
  readonly guest: number;
}

export const command = defineCommand({
  name: 'forward',
  aliases: ['port-forward'],
  summary: 'Reach ports of a computer from this machine',
  details: [
    'Each port is LOCAL:PORT or PORT: connections to 127.0.0.1:LOCAL here go to PORT of the',
    "computer's own loopback. LOCAL 0 takes a free one. What listens is printed; Ctrl-C ends it.",
  ].join(' '),
  arguments: { computer: runningComputer, ports: many('port', 'LOCAL:PORT, or PORT for both') },
  options: {
    bind: value('--bind <address>', 'listen here instead; others may then connect', nonEmpty, {
      otherwise: '127.0.0.1',
    }),
  },
  examples: [
    {
      does: 'See a web server of the computer',
      command: 'vc computer forward demo/desktop 8080:80',
    },
    { does: 'Several at once', command: 'vc computer forward demo/desktop 3000 5432' },
  ],
  async run(context, { computer, ports }, { bind = '127.0.0.1' }) {
    const forwards = ports.map(parseForward);
    const address = await computerAddress(context, computer);
    const client = await context.client();
    const { signal } = context.interrupts;
    const params = computerParameters(address);
    const { status } = await client.request('getComputer', { params, signal });
    if (status !== 'running' && status !== 'starting') {
      throw new CliError(`${describeAddress(address)} is ${status}`, {
        hint: `start it with: vc computer start ${inCommands(context, computer)}`,
        exitCode: ExitCode.conflict,
        code: 'not_running',
      });
    }
    const release = context.interrupts.capture(() => stop.abort());
    const stop = new AbortController();
    const servers: Server[] = [];
    const open = new Set<Socket>();
    try {
      const told = [];
      for (const { local, guest } of forwards) {
        const connect = (socket: Socket) => {
          open.add(socket);
          socket.once('close', () => open.delete(socket));
          void join(context, client, address, { socket, port: guest, stop: stop.signal });
        };
        const server = await listen(connect, local, bind);
        servers.push(server);
        const at = server.address();
        const port = typeof at === 'object' && at !== null ? at.port : local;
        told.push({ address: bind, local: port, port: guest });
      }
      await tell(context, told, describeAddress(address));
      await new Promise<void>((resolve) => {
        if (stop.signal.aborted) resolve();
        stop.signal.addEventListener('abort', () => resolve(), { once: true });
      });
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

/** Why this machine does not listen somewhere, and what to do about it. */
const whyNot: Readonly<Record<string, readonly [string, string]>> = {
  EADDRINUSE: ['the port is in use', 'choose another, as LOCAL:PORT; LOCAL 0 takes a free one'],
  EACCES: ['it needs more rights', 'choose a port above 1023, as LOCAL:PORT'],
  EADDRNOTAVAIL: ['this machine does not have that address', 'give one of its own to --bind'],
  ENOTFOUND: ['this machine does not have that address', 'give one of its own to --bind'],
};

function listen(connect: (socket: Socket) => void, port: number, bind: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, connect);
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const [reason, hint] = whyNot[cause.code ?? ''] ?? [cause.message, undefined];
      reject(new CliError(`cannot listen on ${bind}:${port}: ${reason}`, { hint, cause }));
    });
    server.listen(port, bind, () => resolve(server));
  });
}

async function tell(
  context: Context,
  told: readonly { address: string; local: number; port: number }[],
  computer: string,
): Promise<void> {
  if (context.globals.json) return printJson(context, { forwards: told });
  for (const { address, local, port } of told) {
    const shown = address.includes(':') ? `[${address}]` : address;
    if (context.globals.quiet) await print(context, `${shown}:${local}`);
    else await print(context, printable(`${shown}:${local} -> ${computer} port ${port}`));
  }
}

/** One connection, both ways, each side ended by itself. */
async function join(
  context: Context,
  client: Client,
  address: ComputerAddress,
  { socket, port, stop }: { socket: Socket; port: number; stop: AbortSignal },
): Promise<void> {
  socket.on('error', () => undefined);
  try {
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const tunnel = await client.tunnel(address, port, gone.signal);
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
