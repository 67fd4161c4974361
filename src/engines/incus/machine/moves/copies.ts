import { ApiError } from '../../../../contract/errors.js';
import type { MachineState } from '../../../engine.js';
import { KEY } from '../../ids.js';
import type { Instance } from '../instance.js';

/**
 * LXD moves an instance to another member in steps: it copies it there under this name, deletes the
 * original, and gives the copy the name of the original. In between there is none of that name.
 */
const COPY = /^(lxd-)?move-of-/;

/** Why nothing is known of a machine that is being moved. */
const MOVING = 'The cluster is moving the computer to another member.';

/** Machine id of a migration copy that is in progress; undefined for other instances. */
export function movedMachine(serviceId: string, { name, config }: Instance): string | undefined {
  if (!COPY.test(name) || config?.[KEY.service] !== serviceId) return undefined;
  return config[KEY.machine];
}

/** True for a copy on a member that does not answer: it may be that of any machine. */
export function isUnknownCopy({ name, config }: Instance): boolean {
  return config === null && COPY.test(name);
}

/** A machine that has only its copy: it exists, and is there again when it was moved. */
export function movingState(id: string): MachineState {
  return { id, status: 'unreachable', reason: MOVING, isMoving: true };
}

/** The cluster is moving the machine: nothing can be done with it now. */
export class Moving extends ApiError {
  constructor() {
    super('engine_unavailable', MOVING, { remedy: 'Try again in a minute.' });
  }
}
