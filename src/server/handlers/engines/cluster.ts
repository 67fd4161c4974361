import type { Handlers } from '../handlers.js';

export const clusterHandlers: Pick<
  Handlers,
  'listMembers' | 'getMember' | 'drainMember' | 'returnMember'
> = {
  listMembers: ({ fleet, signal }) => fleet.members.list(signal),
  getMember: ({ fleet, params, signal }) => fleet.members.get(params.member ?? '', signal),
  drainMember: ({ fleet, params, signal }) => fleet.members.drain(params.member ?? '', signal),
  returnMember: ({ fleet, params, signal }) => fleet.members.return(params.member ?? '', signal),
};
