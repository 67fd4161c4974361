import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A connection of this process to itself. */
export interface LocalConnection {
  readonly accepted: Socket;
  /** Closes it where it was opened, when something listens on that port. */
  closeAndListen(): Promise<void>;
  /** Ends all of it. */
  end(): void;
}

export async function openLocalConnection(): Promise<LocalConnection> {
  // Half open, so that the accepted end stays.
  const server = await listen(createServer({ allowHalfOpen: true }), 0);
  const accepting = once(server, 'connection') as Promise<[Socket]>;
  // A chosen port may be bound again, as a program that is started again does.
  const localPort = await freePort();
  const client = connect({ port: portOf(server), host: '127.0.0.1', localPort });
  const [[accepted]] = await Promise.all([accepting, once(client, 'connect')]);
  const listener = createServer();
  return {
    accepted,
    closeAndListen: async () => {
      await listen(listener, localPort);
      client.destroy();
      await once(client, 'close');
    },
    end: () => {
      for (const socket of [client, accepted]) socket.destroy();
      for (const each of [server, listener]) each.close();
    },
  };
}

async function freePort(): Promise<number> {
  const server = await listen(createServer(), 0);
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

async function listen(server: Server, port: number): Promise<Server> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
