import { useRef } from 'preact/hooks';
import type { Computer } from '../../../api/types.js';
import { Empty } from '../../../components/empty.js';
import { start } from '../../../state/power.js';
import { may } from '../../../state/session.js';
import { useControl } from './control.js';
import { ControlBar } from './control-bar.js';
import { useLive } from './live.js';
import { Tools } from './tools.js';

/** The live view: only watched until the person takes control. */
export function ScreenTab({ computer }: { computer: Computer }) {
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
        <button type="button" class="primary" onClick={() => start(computer)}>
          Start
        </button>
      )}
    </Empty>
  );
}
