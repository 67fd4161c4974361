import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Fleet } from '../../fleet/fleet.js';
import { onSocket } from '../http/log.js';

/** Counts the bytes of each connection for the owner of the request that has caused them. */
export function countBytes(app: FastifyInstance, fleet: Fleet): void {
  const counted = new WeakMap<Socket, number>();
  const count = ({ owner, computer, raw: { socket } }: FastifyRequest) => {
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (owner !== null) {
      const before = counted.get(socket) ?? 0;
      fleet.usageLog.bytes(owner, computer?.project_id ?? owner.projectId, bytes - before);
    }
    counted.set(socket, bytes);
  };
  app.addHook('onResponse', (request, _reply, done) => {
    count(request);
    done();
  });
  onSocket(app, (request) => () => count(request));
}
