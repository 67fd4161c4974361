import { routes } from '../contract/routes.js';
import type { CallOptions } from './calls/time-limit.js';
import type { Client } from './client.js';
import { buildPath, type ComputerAddress, computerParameters } from './http/address.js';
import { OutputStream } from './sockets/output-stream.js';
import { TunnelConnection } from './sockets/tunnel-connection.js';

/**
 * A connection to a port of a computer. Closing `writable` ends this side only; the other one ends
 * with `readable`.
 */
export interface PortConnection {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Uint8Array | string>;
  /** Closes both sides at once. */
  close(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Connects to a port. Rejects with the service's error when nothing listens there. */
export function connectPort(
  client: Client,
  address: ComputerAddress,
  port: number,
  options: CallOptions,
): Promise<PortConnection> {
  const path = buildPath(routes.tunnel.paths, computerParameters(address));
  return client.socket(`${path}?port=${port}`, options, async (socket) => {
    const sides = { isReadEnded: false, isWriteEnded: false };
    const output = new OutputStream(
      () => tunnel?.wanted(),
      () => tunnel?.close(),
    );
    let tunnel: TunnelConnection | undefined;
    const ended = (side: keyof typeof sides) => {
      sides[side] = true;
      if (sides.isReadEnded && sides.isWriteEnded) tunnel?.closeSoon();
    };
    tunnel = new TunnelConnection(socket, client.baseUrl, {
      push: (bytes) => output.push(bytes),
      end: () => {
        output.end();
        ended('isReadEnded');
      },
      closed: (error) => (error === undefined ? output.end() : output.fail(error)),
    });
    const connected = tunnel;
    await connected.opened;
    return {
      readable: output.stream,
      writable: inputOf(connected, () => ended('isWriteEnded')),
      close: () => connected.close(),
      async [Symbol.asyncDispose]() {
        connected.close();
      },
    };
  });
}

function inputOf(tunnel: TunnelConnection, ended: () => void): PortConnection['writable'] {
  const encoder = new TextEncoder();
  return new WritableStream<Uint8Array | string>({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
        tunnel.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    close: () => {
      tunnel.endInput();
      ended();
    },
    abort: () => tunnel.close(),
  });
}
