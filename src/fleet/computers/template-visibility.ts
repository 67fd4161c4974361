import type { Image } from '../../contract/resources.js';
import type { Owner } from '../accounts/api-keys.js';
import type { Store } from '../store/index.js';
import { decodeCursor } from './cursor.js';

/** More than an owner can have. */
const ALL = 100_000;

/** Tells whether a template has the shape of one of the owner's computers. */
export function ownShapes(
  store: Store,
  owner: Pick<Owner, 'id' | 'projectId'>,
): (template: Image) => boolean {
  const range = { statuses: undefined, limit: ALL, project: owner.projectId };
  const own = new Set(
    store.computers
      .listAfter(owner.id, decodeCursor(undefined), range)
      .map(({ engine, image, cpu, ram, width, height }) =>
        JSON.stringify([engine, image, cpu, ram, width, height]),
      ),
  );
  return ({ engine, name, cpu, ram, resolution }) =>
    own.has(JSON.stringify([engine, name, cpu, ram, resolution?.width, resolution?.height]));
}
