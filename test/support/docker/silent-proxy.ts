import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a socket that can stop forwarding or close. */
export interface SilentProxy {
  /** Forwards nothing in either direction; connections stay open and new ones are accepted. */
  silence(): void;
  /** Closes all connections and the listener. */
  leave(): Promise<void>;
  /** Forwards and listens again. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** Listens on the unix socket `path` and forwards to `target`. */
export async function openSilentProxy(path: string, target: string): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path: target, allowHalfOpen: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => sockets.delete(from) && to.destroy());
      from.on('end', () => to.end());
      from.on('data', (data) => {
        if (!to.write(data)) from.pause();
      });
      to.on('drain', () => {
        if (!silent) from.resume();
      });
      if (silent) from.pause();
    }
  });
  const listen = async () => {
    rmSync(path, { force: true });
    await new Promise<void>((resolve) => server.listen(path, resolve));
  };
  const leave = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  await listen();
  return {
    silence: () => {
      silent = true;
      for (const socket of sockets) socket.pause();
    },
    leave,
    comeBack: async () => {
      silent = false;
      if (!server.listening) await listen();
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      if (server.listening) await leave();
    },
  };
}
