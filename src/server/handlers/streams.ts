import { TRAJECTORY_TYPE } from '../../contract/constants.js';
import { accepts } from '../http/conditional/accept.js';
import { ByteStream } from '../requests.js';
import type { Handlers } from './handlers.js';

type Names =
  | 'startStream'
  | 'streamStatus'
  | 'stopStream'
  | 'record'
  | 'startTrajectory'
  | 'getTrajectory'
  | 'listTrajectorySteps'
  | 'getTrajectoryPicture'
  | 'endTrajectory'
  | 'deleteTrajectory'
  | 'listConnections'
  | 'createConnection'
  | 'deleteConnection';

export const streamHandlers: Pick<Handlers, Names> = {
  startStream: ({ fleet, owner, computer, body, signal }) =>
    fleet.streams.start(owner, computer, body, signal),
  streamStatus: ({ fleet, computer }) => fleet.streams.status(computer),
  stopStream: async ({ fleet, computer }) => {
    await fleet.streams.stop(computer);
    return { success: true };
  },
  record: async ({ fleet, computer, query, signal }) => {
    const { video } = await fleet.streams.record(computer, query, signal);
    return new ByteStream(video, 'video/mp4');
  },
  startTrajectory: ({ fleet, owner, computer, body, signal }) =>
    fleet.trajectories.start(computer, owner, body, signal),
  getTrajectory: ({ fleet, computer, headers }) => {
    const state = fleet.trajectories.get(computer);
    if (!accepts(headers.accept, TRAJECTORY_TYPE)) return state;
    return new ByteStream(fleet.trajectories.archive(computer), TRAJECTORY_TYPE);
  },
  listTrajectorySteps: ({ fleet, owner, computer, query, signal }) => {
    const rights = fleet.apiKeys.rightsOf(owner) ?? 'look';
    return fleet.trajectories.steps(computer, { ...query, rights }, signal);
  },
  getTrajectoryPicture: async ({ fleet, computer, params }) => {
    const picture = await fleet.trajectories.picture(computer, params.picture ?? '');
    return new ByteStream(picture, 'image/png');
  },
  endTrajectory: ({ fleet, computer }) => fleet.trajectories.end(computer),
  deleteTrajectory: async ({ fleet, computer }) => {
    await fleet.trajectories.remove(computer);
    return { success: true };
  },
  listConnections: ({ fleet, owner }) => ({ connections: fleet.streamTargets.list(owner) }),
  createConnection: ({ fleet, owner, body }) => fleet.streamTargets.create(owner, body),
  deleteConnection: ({ fleet, owner, params }) => {
    fleet.streamTargets.remove(owner, params.name ?? '');
    return { success: true };
  },
};
