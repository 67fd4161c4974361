import { ApiError } from '../../contract/errors.js';

/** Status codes of SFTP version 3: draft-ietf-secsh-filexfer-02, section 7. */
const Status = { eof: 1, noSuchFile: 2, permissionDenied: 3, badMessage: 5, unsupported: 8 };

/** True for what SFTP answers at the end of a file or directory. */
export function isEnd(error: unknown): boolean {
  return codeOf(error) === Status.eof;
}

export function isMissing(error: unknown): boolean {
  return codeOf(error) === Status.noSuchFile;
}

/** What SFTP answers, in words that name what was tried (`read`) and the path. */
export function fileError(error: unknown, doing: string, path: string): ApiError {
  if (error instanceof ApiError) return error;
  const cause = { cause: error };
  const shown = JSON.stringify(path);
  switch (codeOf(error)) {
    case Status.noSuchFile:
      return new ApiError('not_found', `There is no ${shown} in the computer.`, cause);
    case Status.permissionDenied:
      return new ApiError(
        'invalid_request',
        `The computer's user may not ${doing} ${shown}.`,
        cause,
      );
    case Status.badMessage:
      return new ApiError('invalid_request', `The name ${shown} is too long or not valid.`, cause);
    case Status.unsupported:
      return new ApiError('unsupported', `This computer cannot ${doing} ${shown}.`, cause);
    case undefined:
      return new ApiError('guest_failed', `The computer stopped at: ${doing} ${shown}.`, cause);
    default:
      return new ApiError('invalid_request', `The computer could not ${doing} ${shown}.`, cause);
  }
}

function codeOf(error: unknown): number | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}
