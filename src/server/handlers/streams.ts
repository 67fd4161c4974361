import type { Handlers } from '../handlers.js';
import { ByteStream, computerOf } from '../requests.js';

type Names =
  | 'startStream'
  | 'streamStatus'
  | 'stopStream'
  | 'record'
  | 'listConnections'
  | 'createConnection'
  | 'deleteConnection';

export const streamHandlers: Pick<Handlers, Names> = {
  startStream: ({ fleet, owner, params, body, signal }) =>
    fleet.streams.start(owner, computerOf(fleet, owner, params), body, signal),
  streamStatus: ({ fleet, owner, params }) =>
    fleet.streams.status(computerOf(fleet, owner, params)),
  stopStream: async ({ fleet, owner, params }) => {
    await fleet.streams.stop(computerOf(fleet, owner, params));
    return { success: true };
  },
  record: async ({ fleet, owner, params, query, signal }) => {
    const { video } = await fleet.streams.record(computerOf(fleet, owner, params), query, signal);
    return new ByteStream(video, 'video/mp4');
  },
  listConnections: ({ fleet, owner }) => ({ connections: fleet.connections.list(owner) }),
  createConnection: ({ fleet, owner, body }) => fleet.connections.create(owner, body),
  deleteConnection: ({ fleet, owner, params }) => {
    fleet.connections.remove(owner, params.name ?? '');
    return { success: true };
  },
};
