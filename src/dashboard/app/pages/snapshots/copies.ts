import type { Intent } from '../../api/commands.js';
import type { Computer } from '../../api/types.js';

type Named = Pick<Computer, 'id' | 'name' | 'project_name'>;

/** The names of several copies: `attempt-1`, `attempt-2`, …; a single one has the name itself. */
export function copyNames(name: string, count: number): string[] {
  if (count === 1) return [name];
  return Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
}

/** The request for copies of a computer, or of one of its snapshots. */
export function forkIntent(
  { id, name, project_name }: Named,
  names: readonly string[],
  snapshot?: string,
): Intent {
  const [only = ''] = names;
  const copies = names.length === 1 ? { name: only } : { names };
  const from = `${project_name}/${name}${snapshot === undefined ? '' : `@${snapshot}`}`;
  return {
    method: 'POST',
    path: `/computers/${id}/fork?wait=0`,
    body: { ...copies, ...(snapshot === undefined ? {} : { snapshot }) },
    vc: ['fork', from, ...names],
  };
}

/** The request that saves a computer, or one of its snapshots, as an image. */
export function imageIntent(
  { id, name, project_name }: Named,
  image: string,
  snapshot?: string,
): Intent {
  return {
    method: 'POST',
    path: '/images',
    body: { name: image, computer: id, ...(snapshot === undefined ? {} : { snapshot }) },
    vc: [
      'image',
      'save',
      `${project_name}/${name}${snapshot === undefined ? '' : `@${snapshot}`}`,
      image,
    ],
  };
}
