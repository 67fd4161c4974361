import type { Handlers } from '../handlers.js';

export const clusterHandlers: Pick<Handlers, 'listMembers' | 'getMember'> = {
  listMembers: ({ fleet, signal }) => fleet.members.list(signal),
  getMember: ({ fleet, params, signal }) => fleet.members.get(params.member ?? '', signal),
};
