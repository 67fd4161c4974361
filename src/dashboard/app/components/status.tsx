import type { Member, Status } from '../api/types.js';
import { isAway } from '../state/connection.js';

interface StatusMarkProps {
  readonly status: Status | Member['status'];
  readonly reason?: string;
}

/** The status of a computer or a member of a cluster; one that was just asked for is shown at once. */
export function StatusMark({ status, reason }: StatusMarkProps) {
  return (
    <span class="status" data-status={isAway.value ? 'unknown' : status} title={reason}>
      <span class="dot" aria-hidden="true" />
      {isAway.value ? `was ${status}` : status}
    </span>
  );
}
