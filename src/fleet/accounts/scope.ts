import { ApiError } from '../../contract/errors.js';
import type { Owner } from './api-keys.js';

/** Whether a project is one that the key is for. */
export function isWithin({ projectId }: Pick<Owner, 'projectId'>, id: string): boolean {
  return projectId === undefined || projectId === id;
}

/** The error for a key for one project, of what belongs to all projects of its owner. */
export function oneProject(): ApiError {
  const message = 'This concerns all projects of an owner, and your API key is for one of them.';
  return new ApiError('forbidden', message, { remedy: 'Use a key for all projects.' });
}
