import type { Member, Status } from '../api/types.js';

interface StatusMarkProps {
  readonly status: Status | Member['status'];
  readonly reason?: string;
}

/** The status of a computer or a member of a cluster; one that was just asked for is shown at once. */
export function StatusMark({ status, reason }: StatusMarkProps) {
  return (
    <span class="status" data-status={status} title={reason}>
      <span class="dot" aria-hidden="true" />
      {status}
    </span>
  );
}
