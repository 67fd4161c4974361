import type { Status } from '../api/types.js';

/** A computer's status; one that was just asked for is shown at once, and marked as such. */
export function StatusMark({ status, reason }: { status: Status; reason?: string }) {
  return (
    <span class="status" data-status={status} title={reason}>
      <span class="dot" aria-hidden="true" />
      {status}
    </span>
  );
}
