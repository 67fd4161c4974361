import { createServer, type Server } from 'node:net';
import { CliError } from '../errors/cli-error.js';

/** Reason and remedy by the code of a system error. */
const errors: Readonly<Record<string, readonly [string, string]>> = {
  EADDRINUSE: ['address already in use', 'choose another local port; 0 picks a free one'],
  EACCES: ['permission denied', 'choose a local port above 1023'],
  EADDRNOTAVAIL: ['no such address on this machine', 'give --bind an address of this machine'],
  ENOTFOUND: ['no such address on this machine', 'give --bind an address of this machine'],
};

/** Listens for connections of programs of this machine, which may close each direction separately. */
export function listenLocally(port: number, bind: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const [reason, remedy] = errors[cause.code ?? ''] ?? [cause.message, undefined];
      reject(new CliError(`cannot listen on ${bind}:${port}: ${reason}`, { remedy, cause }));
    });
    server.listen(port, bind, () => resolve(server));
  });
}
