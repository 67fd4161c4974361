import type { Handlers } from './handlers.js';

export const publicationHandlers: Pick<
  Handlers,
  'createPublication' | 'listPublications' | 'deletePublication'
> = {
  createPublication: ({ fleet, owner, computer, body }) =>
    fleet.publications.create(owner, computer, body),
  listPublications: ({ fleet, owner }) => ({ publications: fleet.publications.list(owner) }),
  deletePublication: ({ fleet, computer, params }) => {
    fleet.publications.remove(computer, params.port ?? '');
    return { success: true };
  },
};
