import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { routes } from '../../contract/routes.js';
import { TunnelMessage, TunnelQuery } from '../../contract/sockets/tunnel.js';
import { onAbort } from '../../lib/async/abort.js';
import { validateExactly } from '../http/input/read-input.js';
import {
  addComputerSocket,
  type ComputerSocket,
  forward,
  parseControl,
  type SocketServices,
  sendJson,
  writeFrom,
} from './computer-socket.js';
import { Messages } from './messages.js';

/** `GET C/tunnel?port=`: a connection to a port of the computer, as contract/sockets/tunnel.ts describes. */
export function addTunnelSocket(app: FastifyInstance, services: SocketServices): void {
  addComputerSocket(app, services, routes.tunnel.paths, {
    name: 'tunnel',
    check: (request) => void validateExactly(TunnelQuery, request.query, 'query'),
    serve: serveTunnel,
  });
}

async function serveTunnel(connection: ComputerSocket): Promise<void> {
  const { socket, fleet, record, request, left } = connection;
  const messages = new Messages(socket);
  const { port } = validateExactly(TunnelQuery, request.query, 'query');
  await fleet.actions.shell(
    record,
    async (shell) => {
      const tunnel = await shell.connect(port);
      connection.opened({ port });
      onAbort(left, () => tunnel.destroy());
      sendJson(socket, { type: 'open' });
      await attach(connection, messages, tunnel).finally(() => tunnel.destroy());
    },
    left,
  );
}

/** Forwards bytes and half-closes in both directions, until both have ended or one is lost. */
async function attach(
  { socket, refuse }: ComputerSocket,
  messages: Messages,
  tunnel: Duplex,
): Promise<void> {
  const finished = new Promise<void>((resolve) => {
    tunnel.once('finish', resolve);
    tunnel.once('close', resolve);
  });
  tunnel.on('error', () => undefined);
  // A closed tunnel must not leave the client paused.
  tunnel.once('close', () => socket.resume());
  const write = writeFrom(socket, tunnel);
  messages.deliver((data, isBinary) => {
    if (!isBinary) {
      const message = TunnelMessage.safeParse(parseControl(data));
      if (message.success && message.data.type === 'end') tunnel.end();
      return;
    }
    if (tunnel.writable) write(data);
  }, refuse);
  // Keep the other direction open when this one has ended.
  await forward(socket, tunnel.iterator({ destroyOnReturn: false }));
  sendJson(socket, { type: 'end' });
  await finished;
}
