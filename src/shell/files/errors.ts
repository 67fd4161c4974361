import { ApiError, type ErrorCode } from '../../contract/errors.js';

/** Status codes of SFTP version 3: draft-ietf-secsh-filexfer-02, section 7. */
const Status = { eof: 1, noSuchFile: 2, permissionDenied: 3, badMessage: 5, unsupported: 8 };
const FAILURE = 4;

/** True for SFTP's status at the end of a file or directory. */
export function isEnd(error: unknown): boolean {
  return codeOf(error) === Status.eof;
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === Status.noSuchFile;
}

/** Resolves to undefined instead of rejecting because a file does not exist. */
export function ifExists<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

/** The error of a file operation that failed for a reason that SFTP has no code for. */
export function sftpFailure(): Error {
  return Object.assign(new Error('Failure'), { code: FAILURE });
}

/** Converts an SFTP error to an ApiError that names the operation (`read`) and the path. */
export function fileError(error: unknown, doing: string, path: string): ApiError {
  if (error instanceof ApiError) return error;
  const shown = JSON.stringify(path);
  const because = (code: ErrorCode, message: string, remedy?: string) =>
    new ApiError(code, message, { cause: error, ...(remedy !== undefined && { remedy }) });
  switch (codeOf(error)) {
    case Status.noSuchFile:
      return because('not_found', `There is no ${shown} in the computer.`);
    case Status.permissionDenied:
      return because(
        'invalid_request',
        `The computer's user may not ${doing} ${shown}.`,
        "Use a path in the home directory, and sudo for others: vc bash COMPUTER 'sudo mv FILE PATH'.",
      );
    case Status.badMessage:
      return because('invalid_request', `The name ${shown} is too long or not valid.`);
    case Status.unsupported:
      return because('unsupported', `This computer cannot ${doing} ${shown}.`);
    case undefined:
      return because('guest_failed', `The connection was lost while trying to ${doing} ${shown}.`);
    default:
      return because('invalid_request', `The computer could not ${doing} ${shown}.`);
  }
}

function codeOf(error: unknown): number | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}
