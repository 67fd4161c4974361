import { ApiError } from '../../contract/errors.js';

/** Files or the script of a new computer failed. It can be started, without them. */
export class SetupFailed extends ApiError {
  constructor(message: string) {
    super('guest_failed', message);
  }
}
