import { ApiError } from '../contract/errors.js';

/** True for a valid machine id, which is safe in the names of files and of host resources. */
export function isMachineId(id: string): boolean {
  return /^[a-z0-9_]{1,40}$/.test(id);
}

/** Throws ApiError `invalid_request` unless `id` is a valid machine id. */
export function assertMachineId(id: string): void {
  if (isMachineId(id)) return;
  throw new ApiError('invalid_request', `${JSON.stringify(id)} is not a machine's id.`);
}
