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

export function unwritable(cause: unknown): ApiError {
  const message = `The trajectory cannot be written: ${errorMessage(cause)}`;
  return new ApiError('internal', message, { cause });
}
