import { Duplex } from 'node:stream';
import { routes } from '../../contract/routes.js';
import type { CallOptions } from '../calls/time-limit.js';
import type { Client } from '../client.js';
import { buildPath, type ComputerAddress, computerParameters } from '../http/address.js';
import type { MessageSocket } from '../sockets/message-socket.js';
import { TunnelConnection } from '../sockets/tunnel-connection.js';

/**
 * A connection to a port of a computer as a Node.js stream, with backpressure; each direction can be
 * ended separately. Rejects with the service's error when nothing listens there.
 */
export function openNodeTunnel(
  client: Client,
  address: ComputerAddress,
  port: number,
  options: CallOptions = {},
): Promise<Duplex> {
  const path = buildPath(routes.tunnel.paths, computerParameters(address));
  return client.socket(`${path}?port=${port}`, options, async (socket) => {
    const tunnel = new Tunnel(socket, client.baseUrl);
    await tunnel.connection.opened;
    return tunnel;
  });
}

class Tunnel extends Duplex {
  readonly connection: TunnelConnection;

  constructor(socket: MessageSocket, baseUrl: string) {
    super({ allowHalfOpen: true });
    this.connection = new TunnelConnection(socket, baseUrl, {
      push: (bytes) => this.push(bytes),
      end: () => void this.push(null),
      closed: (error) => {
        if (error !== undefined) this.destroy(error);
        else if (!this.writableFinished) this.destroy();
      },
    });
    // Reported by `opened` until the caller has the stream.
    this.on('error', () => undefined);
  }

  override _read(): void {
    this.connection.wanted();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    this.connection.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.connection.endInput();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.readableEnded && this.writableFinished) this.connection.closeSoon();
    else this.connection.close();
    done(error);
  }
}
