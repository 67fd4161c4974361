import { ApiError } from '../../contract/errors.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { inCommands } from '../errors/remedies.js';
import type { ComputerRecord } from '../store/records.js';

export function noTrajectory(record: ComputerRecord): ApiError {
  const message = `The computer ${JSON.stringify(record.name)} has no recorded actions.`;
  const remedy = `Record some: vc computer trajectory ${inCommands(record)} start`;
  return new ApiError('not_found', message, { remedy });
}

export function noPicture(record: ComputerRecord, name: string): ApiError {
  const shown = JSON.stringify(name.slice(0, 64));
  const message = `The trajectory of ${JSON.stringify(record.name)} has no picture ${shown}.`;
  return new ApiError('not_found', message);
}

export function recordingAlready(record: ComputerRecord): ApiError {
  const message = `The actions of ${JSON.stringify(record.name)} are being recorded already.`;
  const remedy = `End that first: vc computer trajectory ${inCommands(record)} end`;
  return new ApiError('conflict', message, { remedy });
}

/** The files of a trajectory were removed before a client had read them. */
export function removedWhileRead(): ApiError {
  return new ApiError('not_found', 'The trajectory was removed while it was read.', {
    remedy: 'Record the actions again: vc computer trajectory COMPUTER start',
  });
}

export function tooManyArchives(most: number): ApiError {
  const message = `You are reading ${most} archives of trajectories already.`;
  return new ApiError('rate_limited', message, { remedy: 'Try again when one of them has ended.' });
}

export function unwritable(cause: unknown): ApiError {
  const message = `The trajectory cannot be written: ${errorMessage(cause)}`;
  return new ApiError('internal', message, { cause });
}
