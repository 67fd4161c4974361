import { ApiError } from '../../contract/errors.js';

/** A place in a Dockerfile. */
export interface Place {
  /** Path of the Dockerfile in the context. */
  readonly file: string;
  readonly line: number;
}

/** An error of the Dockerfile's author: `Dockerfile:12: …`. */
export function mistake({ file, line }: Place, problem: string, remedy?: string): ApiError {
  return new ApiError('invalid_request', `${file}:${line}: ${problem}`, { remedy });
}
