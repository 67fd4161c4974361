import { useEffect, useRef, useState } from 'preact/hooks';
import { socketUrl } from '../../../api/addresses.js';
import { call } from '../../../api/http.js';
import { load } from '../../../api/load.js';
import type { Computer } from '../../../api/types.js';
import { Icon } from '../../../components/icon.js';
import { tellFailure } from '../../../state/notices.js';
import type { Live } from './live.js';

const FAILED = 'There is no sound';

/** The button that lets the page play the sound of the computer. It is off at first. */
export function SoundTool({ computer, live }: { computer: Computer; live: Live }) {
  const [isOn, setOn] = useState(false);
  const stop = useRef<(() => void) | undefined>(undefined);
  const end = () => {
    stop.current?.();
    stop.current = undefined;
    setOn(false);
  };
  useEffect(() => end, [computer.id]);
  const start = async () => {
    setOn(true);
    const left = new AbortController();
    stop.current = () => left.abort();
    try {
      const { playSound, whyNoSound } = await load(() => import('../../../../view/sound.js'));
      const reason = await whyNoSound();
      if (reason !== undefined) throw new Error(reason);
      const path = `/computers/${computer.id}/view`;
      const { url } = await call<{ url: string }>('POST', path, {
        body: { mode: 'view' },
        signal: left.signal,
      });
      left.signal.throwIfAborted();
      const ticket = new URL(url).hash.slice(1);
      stop.current = playSound(socketUrl(`/view/${computer.id}/sound`), ticket, (why) => {
        end();
        tellFailure(FAILED, new Error(why));
      });
    } catch (error) {
      if (left.signal.aborted) return;
      end();
      tellFailure(FAILED, error);
    }
  };
  const label = isOn ? 'Mute' : 'Sound';
  return (
    <button
      type="button"
      class="ghost square"
      aria-label={label}
      aria-pressed={isOn}
      title={label}
      disabled={live.state !== 'live' && !isOn}
      onClick={isOn ? end : () => void start()}
    >
      <Icon name="sound" />
    </button>
  );
}
