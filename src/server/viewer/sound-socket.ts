import type { FastifyInstance } from 'fastify';
import { VIEW_PATHS } from '../../contract/sockets/view.js';
import { onAbort } from '../../lib/async/abort.js';
import type { SocketServices } from '../websocket/computer-socket.js';
import { addTicketSocket } from './ticket-socket.js';

/** Bytes that wait for a slow listener, two seconds of sound; it loses what comes meanwhile. */
const MOST_WAITING = 24 * 1024;

/**
 * `GET /view/{id}/sound`: each binary message is an Opus packet of 20 ms, 48 kHz, stereo. The ticket
 * is from the live view's socket.
 */
export function addSoundSocket(app: FastifyInstance, services: SocketServices): void {
  addTicketSocket(
    app,
    VIEW_PATHS.sound,
    services,
    async ({ socket, fleet, record, left, opened }) => {
      opened({ mode: 'sound' });
      await new Promise<void>((_, reject) => {
        const take = (packet: Buffer) => {
          if (socket.bufferedAmount < MOST_WAITING) socket.send(packet);
        };
        fleet.sounds.opus(record, { take, failed: reject }, left.signal).then(
          (stop) =>
            void onAbort(left.signal, (reason) => {
              stop();
              reject(reason);
            }),
          reject,
        );
      });
    },
  );
}
