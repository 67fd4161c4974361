import type { Owner } from './api-keys.js';

/** Whether a project is one that the key is for. */
export function isWithin({ projectId }: Pick<Owner, 'projectId'>, id: string): boolean {
  return projectId === undefined || projectId === id;
}
