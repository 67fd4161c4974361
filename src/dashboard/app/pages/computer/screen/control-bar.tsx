import type { RefObject } from 'preact';
import { Icon } from '../../../components/icon.js';
import { Time } from '../../../components/time.js';
import { may, session } from '../../../state/session.js';
import type { ControlState } from './control.js';
import type { Live } from './live.js';

interface ControlBarProps {
  readonly control: ControlState;
  readonly live: Live;
  readonly leave: RefObject<HTMLButtonElement | null>;
}

/** Who drives the computer, and the button that takes or gives back control. */
export function ControlBar({ control, live, leave }: ControlBarProps) {
  const { holder, since, isMine, isBusy, take, giveBack } = control;
  if (isMine) {
    return (
      <>
        <button type="button" class="mine" ref={leave} disabled={isBusy} onClick={giveBack}>
          <Icon name="hand" />
          Hand back
        </button>
        <span class="muted hint">
          You are in control. <kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Shift</kbd> leaves the screen.
        </span>
      </>
    );
  }
  return (
    <>
      {may.value('act') && (
        <button
          type="button"
          class="primary"
          ref={leave}
          disabled={isBusy || live.state !== 'live' || !mayTakeFrom(holder)}
          onClick={() => take(holder === null ? undefined : 'force')}
        >
          <Icon name="hand" />
          {holder === null ? 'Take control' : 'Take over'}
        </button>
      )}
      <span class="muted hint">
        {holder === null ? (
          'You are watching.'
        ) : (
          <>
            Driven by <bdi>{holder.key_name ?? 'a key'}</bdi> since <Time at={since} />.
          </>
        )}
      </span>
    </>
  );
}

/** From another key only a key with all rights takes control. */
function mayTakeFrom(holder: ControlState['holder']): boolean {
  return holder === null || may.value('manage') || holder.key_id === session.value?.key.id;
}
