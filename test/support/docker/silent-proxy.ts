import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

/** A socket in front of another one, that can fall silent and go away. */
export interface SilentProxy {
  /** From now on nothing passes, in either direction; connections stay and are accepted. */
  silence(): void;
  /** All connections end, and nobody listens. */
  leave(): Promise<void>;
  /** All passes again, and whoever connects is served. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** Listens on the unix socket `path` for what listens on `target`. */
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
