import type { Computer, Image } from '../../api/types.js';

/** One of the owner's own, or one for all owners, which only administrators delete. */
export function isSaved({ kind }: Pick<Image, 'kind'>): boolean {
  return kind === 'saved' || kind === 'shared';
}

/** How many computers need a saved image or a volume; empty for other images. */
export function usersOf({ used_by }: Pick<Image, 'used_by'>): string {
  if (used_by === null) return '';
  return used_by === 1 ? '1 computer' : `${used_by} computers`;
}

/** Computers with an image of that name, by project and name. They may be of one that it has replaced. */
export function computersWith<
  C extends Pick<Computer, 'image' | 'engine' | 'project_name' | 'name'>,
>({ name, engine }: Pick<Image, 'name' | 'engine'>, computers: Iterable<C>): C[] {
  const path = (computer: C) => `${computer.project_name}/${computer.name}`;
  return [...computers]
    .filter((computer) => computer.image === name && computer.engine === engine)
    .sort((a, b) => path(a).localeCompare(path(b)));
}
