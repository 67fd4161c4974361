import { dismiss, notices } from '../../state/notices.js';
import { FailureDetails } from '../failure.js';
import { Icon } from '../icon.js';

/** What was done or failed lately, at the lower edge. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, failure }) => (
        <div key={id} class={failure === undefined ? 'notice' : 'notice bad'}>
          <div>
            <p class="break">{text}</p>
            {failure !== undefined && <FailureDetails failure={failure} />}
          </div>
          <button
            type="button"
            class="ghost square"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
