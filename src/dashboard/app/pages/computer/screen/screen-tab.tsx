import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { Computer, WallComputer } from '../../../api/types.js';
import { Empty } from '../../../components/empty.js';
import { Icon } from '../../../components/icon.js';
import { viewerNames } from '../../../components/names.js';
import { Time } from '../../../components/time.js';
import { perform } from '../../../state/power.js';
import { may, session } from '../../../state/session.js';
import { type ControlState, useControl } from './control.js';
import { type Live, useLive } from './live.js';
import { Tools } from './tools.js';

/** The live view: only watched until the person takes control. */
export function ScreenTab({ computer }: { computer: WallComputer }) {
  const frame = useRef<HTMLElement>(null);
  const target = useRef<HTMLDivElement>(null);
  const leave = useRef<HTMLButtonElement>(null);
  const control = useControl(computer);
  const live = useLive({
    id: computer.id,
    mode: control.isMine ? 'control' : 'view',
    isOn: computer.status === 'running',
    target,
    onEscape: () => leave.current?.focus(),
    onControl: control.note,
  });
  return (
    <section
      class="screen"
      ref={frame}
      aria-label="Screen"
      data-state={live.state}
      data-mine={control.isMine}
    >
      <div class="toolbar">
        <ControlBar control={control} live={live} leave={leave} />
        <Viewers of={computer} />
        <Tools computer={computer} live={live} isMine={control.isMine} frame={frame} />
      </div>
      <div class="stage">
        {computer.status === 'running' ? (
          <>
            <div class="desktop" ref={target} />
            {live.state !== 'live' && (
              <p class="stage-note" role="status">
                <span class="spinner" aria-hidden="true" />
                {live.reason ?? 'Connecting to the screen…'}
              </p>
            )}
          </>
        ) : (
          <Off computer={computer} />
        )}
      </div>
    </section>
  );
}

/** Who sees the screen, as soon as it is not this page alone. */
function Viewers({ of: { viewers = [] } }: { of: WallComputer }) {
  if (viewers.length < 2) return null;
  return (
    <span class="muted hint clip" title={viewerNames(viewers)}>
      {viewers.length} watching: <bdi>{viewerNames(viewers)}</bdi>
    </span>
  );
}

function Off({ computer }: { computer: Computer }) {
  const { status, status_reason } = computer;
  const isIdle = status === 'stopped' || status === 'error';
  return (
    <Empty
      title={
        isIdle
          ? `The computer is ${status === 'error' ? 'in an error' : status}`
          : `It is ${status}…`
      }
    >
      {status_reason !== undefined && <p class="break">{status_reason}</p>}
      {isIdle && may.value('act') && (
        <button type="button" class="primary" onClick={() => void perform('start', [computer])}>
          Start
        </button>
      )}
    </Empty>
  );
}

interface ControlBarProps {
  readonly control: ControlState;
  readonly live: Live;
  readonly leave: RefObject<HTMLButtonElement | null>;
}

/** Who drives the computer, and the button that takes or gives back control. */
function ControlBar({ control, live, leave }: ControlBarProps) {
  const { holder, since, isMine, isBusy, take, giveBack } = control;
  if (isMine) {
    return (
      <>
        <button type="button" class="mine" ref={leave} disabled={isBusy} onClick={giveBack}>
          <Icon name="hand" />
          Hand back
        </button>
        <span class="muted hint">
          {live.state === 'live' ? (
            <>
              You are in control. <kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Shift</kbd> leaves the screen.
            </>
          ) : (
            'There is no connection: keys do not reach the computer.'
          )}
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
          live.state === 'live' ? (
            'You are watching.'
          ) : (
            'Not connected.'
          )
        ) : (
          <>
            Controlled by <bdi>{holder.key_name ?? 'a key'}</bdi> since <Time at={since} />.
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
