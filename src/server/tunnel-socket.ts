import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { TUNNEL_PATHS, TunnelMessage, TunnelQuery } from '../contract/tunnel.js';
import type { Fleet } from '../fleet/fleet.js';
import { Inbox } from './inbox.js';
import { addComputerSocket, type ComputerSocket, forward, parseJson, sendJson } from './sockets.js';
import { validate } from './validation.js';

/** `GET C/tunnel?port=`: a connection to a port of the computer, as contract/tunnel.ts describes. */
export function addTunnelSocket(app: FastifyInstance, fleet: Fleet): void {
  addComputerSocket(app, fleet, TUNNEL_PATHS, {
    name: 'tunnel',
    check: (request) => void validate(TunnelQuery, request.query, 'query'),
    serve: serveTunnel,
  });
}

async function serveTunnel(connection: ComputerSocket): Promise<void> {
  const { socket, fleet, record, request, left } = connection;
  const inbox = new Inbox(socket);
  const { port } = validate(TunnelQuery, request.query, 'query');
  await fleet.control.shell(
    record,
    async (shell) => {
      const tunnel = await shell.connect(port);
      connection.opened({ port });
      const onLeft = () => tunnel.destroy();
      if (left.aborted) onLeft();
      left.addEventListener('abort', onLeft, { once: true });
      sendJson(socket, { type: 'open' });
      await attach(connection, inbox, tunnel).finally(() => tunnel.destroy());
    },
    left,
  );
}

/** Passes bytes and ends on, both ways, until both sides have ended or either is gone. */
async function attach({ socket }: ComputerSocket, inbox: Inbox, tunnel: Duplex): Promise<void> {
  const finished = new Promise<void>((resolve) => {
    tunnel.once('finish', resolve);
    tunnel.once('close', resolve);
  });
  tunnel.on('error', () => undefined);
  // What the guest reads no more must not hold the client's messages back.
  tunnel.once('close', () => socket.resume());
  inbox.deliver((data, isBinary) => {
    if (!isBinary) {
      const message = TunnelMessage.safeParse(parseJson(data.toString()));
      if (message.success && message.data.type === 'end') tunnel.end();
      return;
    }
    if (!tunnel.writable || tunnel.write(data)) return;
    socket.pause();
    tunnel.once('drain', () => socket.resume());
  });
  // The other direction goes on when this one has ended.
  await forward(socket, tunnel.iterator({ destroyOnReturn: false }));
  sendJson(socket, { type: 'end' });
  await finished;
}
