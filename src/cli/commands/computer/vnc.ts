import { randomBytes } from 'node:crypto';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Client } from '../../../client/client.js';
import { ServiceError } from '../../../client/errors.js';
import { type ComputerAddress, computerParameters } from '../../../client/http/address.js';
import { openNodeView } from '../../../client/node/view.js';
import type { ViewMode } from '../../../contract/sockets/view.js';
import { onAbort } from '../../../lib/async/abort.js';
import { SampledBucket, TokenBucket } from '../../../lib/async/token-bucket.js';
import { printable } from '../../../lib/text/printable.js';
import { ExitCode } from '../../errors/exit-codes.js';
import { reportOf } from '../../errors/report.js';
import type { Context } from '../../framework/context.js';
import { defineCommand, flag, value } from '../../framework/define.js';
import { write } from '../../framework/io.js';
import { number } from '../../input/parse.js';
import { note, print, printJson } from '../../output/print.js';
import { listenLocally } from '../../serve/local-port.js';
import { computerAddress, describeAddress } from '../../targets/computer-address.js';
import { namedOrOnly, optionalRunningComputer } from '../../targets/computers.js';
import { serveClient } from '../../vnc/serve-client.js';

const HOST = '127.0.0.1';
/** Most clients at once, also those that have not given the password. */
const MOST_CLIENTS = 32;
/** Errors that a user can do something about; others say that the client has disconnected. */
const REPORTED = ['ServiceError', 'ServiceUnreachableError', 'CliError', 'RefusedError'];

export const command = defineCommand({
  name: 'vnc',
  summary: 'Open a local port for a native VNC client',
  details: [
    'Prints an address on 127.0.0.1 and a new password, and runs until Ctrl-C. Clients may disconnect',
    'and connect again meanwhile. The client has to support RFB 3.8, VNC authentication and 32-bit',
    'true colour, such as TigerVNC. A key with the right to look, but not to act, gets a view without',
    'input. Texts of the clipboard are passed on in both directions if they are Latin-1; for others: vc',
    'clipboard.',
  ].join(' '),
  arguments: { computer: optionalRunningComputer },
  options: {
    port: value(
      '--port <port>',
      'local port; 0 picks a free one',
      number({ min: 0, max: 65_535, unit: 'port' }),
      { otherwise: '0' },
    ),
    viewOnly: flag('--view-only', 'show the screen without mouse and keyboard'),
  },
  examples: [
    { does: 'Open a port for a VNC client', command: 'vc vnc demo/desktop' },
    {
      does: 'Watch only, at a port of your choice',
      command: 'vc vnc demo/desktop --port 5901 --view-only',
    },
  ],
  async run(context, { computer: given }, { port = 0, viewOnly }) {
    const computer = await namedOrOnly(context, given);
    const address = await computerAddress(context, computer);
    const client = await context.client();
    const mode = viewOnly ? 'view' : 'control';
    const allowed = await allowedMode(client, address, mode, context.interrupts.signal);
    const password = randomBytes(6).toString('base64url');
    const stop = new AbortController();
    const release = context.interrupts.capture(() => stop.abort());
    const clients = new Set<Socket>();
    let server: Server | undefined;
    try {
      server = await listenLocally(port, HOST);
      server.maxConnections = MOST_CLIENTS;
      const attempts = new TokenBucket(5, 1);
      const report = failureReport(context, stop.signal);
      server.on('connection', (socket) => {
        clients.add(socket);
        socket.once('close', () => clients.delete(socket));
        socket.on('error', () => undefined);
        const open = (signal: AbortSignal) =>
          openNodeView(client, address, { mode: allowed, signal });
        serveClient(socket, { password, attempts, open }).catch(report);
      });
      const { port: local } = server.address() as AddressInfo;
      await printAccess(context, { port: local, password, mode: allowed }, address);
      if (allowed !== mode) await note(context, 'without input: the key may only look');
      await new Promise<void>((resolve) => onAbort(stop.signal, () => resolve()));
      return ExitCode.ok;
    } finally {
      stop.abort();
      server?.close();
      for (const socket of clients) socket.destroy();
      release();
    }
  },
});

/** The mode, or `view` for a key that may only look. Throws if the computer cannot be shown. */
async function allowedMode(
  client: Client,
  address: ComputerAddress,
  mode: ViewMode,
  signal: AbortSignal,
): Promise<ViewMode> {
  try {
    await client.request('view', { params: computerParameters(address), body: { mode }, signal });
    return mode;
  } catch (error) {
    const needsMore = error instanceof ServiceError && error.knownCode === 'forbidden';
    if (mode === 'view' || !needsMore) throw error;
    return allowedMode(client, address, 'view', signal);
  }
}

async function printAccess(
  context: Context,
  { port, password, mode }: { port: number; password: string; mode: ViewMode },
  computer: ComputerAddress,
): Promise<void> {
  const at = `${HOST}:${port}`;
  if (context.globals.json) return printJson(context, { address: HOST, port, password, mode });
  if (context.globals.quiet) return print(context, `${at} ${password}`);
  await print(context, `${at} -> ${describeAddress(computer)}`);
  await print(context, `password: ${password}`);
  await print(context, `TigerVNC: xtigervncviewer ${HOST}::${port}`);
}

/** Prints why a client was refused or its view ended, a few times a second at most. */
function failureReport({ io }: Context, stop: AbortSignal): (error: unknown) => void {
  const lines = new SampledBucket(5, 1);
  return (error) => {
    const { name } = error as { name?: string };
    if (stop.aborted || name === undefined || !REPORTED.includes(name)) return;
    if (lines.admit() === undefined) return;
    write(io.stderr, `client: ${printable(reportOf(error).message)}\n`).catch(() => undefined);
  };
}
