import type { Failure } from '../api/failure.js';
import { Icon } from './icon.js';

/** An error where it happened. */
export function FailureNote({ failure }: { failure: Failure | undefined }) {
  return (
    <div role="alert">
      {failure !== undefined && (
        <div class="failure">
          <Icon name="warning" />
          <div>
            <FailureDetails failure={failure} />
          </div>
        </div>
      )}
    </div>
  );
}

/** What went wrong, what to do about it, and the id with which the log is searched. */
export function FailureDetails({ failure }: { failure: Failure }) {
  return (
    <>
      <p class="break">{failure.message}</p>
      {failure.remedy !== undefined && <p class="remedy break">{failure.remedy}</p>}
      {failure.requestId !== undefined && (
        <p class="muted">
          Request <code class="id">{failure.requestId}</code>
        </p>
      )}
    </>
  );
}
