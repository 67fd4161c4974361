import type RFB from '@novnc/novnc';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Ending, ViewChannel, ViewEvent } from '../../../../view/channel.js';
import { asFailure } from '../../../api/failure.js';
import { call } from '../../../api/http.js';
import type { Control } from '../../../api/types.js';
import { connectScreen } from './connect.js';
import { watchEscape } from './escape.js';

export interface Live {
  readonly state: 'connecting' | 'live';
  /** Why there is no picture. */
  readonly reason: string | undefined;
  /** The text that was copied in the computer last. */
  readonly clipboard: string;
  readonly rfb: () => RFB | undefined;
}

interface LiveOptions {
  readonly id: string;
  readonly mode: 'view' | 'control';
  readonly isOn: boolean;
  readonly target: RefObject<HTMLElement | null>;
  /** The keys that leave the screen were pressed. */
  readonly onEscape: () => void;
  readonly onControl: (control: Control | null, isMine: boolean) => void;
}

const RETRY_MS = 1_000;

/** Shows the screen in `target`, and connects again when the connection ends. */
export function useLive({ id, mode, isOn, target, onEscape, onControl }: LiveOptions): Live {
  const [state, setState] = useState<Live['state']>('connecting');
  const [reason, setReason] = useState<string>();
  const [clipboard, setClipboard] = useState('');
  const [attempt, setAttempt] = useState(0);
  const rfb = useRef<RFB | undefined>(undefined);
  const handlers = useRef({ onEscape, onControl });
  handlers.current = { onEscape, onControl };
  // Each attempt connects again.
  useEffect(() => {
    const element = target.current;
    if (!isOn || element === null) return undefined;
    const left = new AbortController();
    let channel: ViewChannel | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (why: string) => {
      if (left.signal.aborted) return;
      setState('connecting');
      setReason(why);
      timer = setTimeout(() => setAttempt((count) => count + 1), RETRY_MS);
    };
    const onEvent = (event: ViewEvent) => {
      if (event.type === 'clipboard') setClipboard(String(event.text));
      if (event.type !== 'control') return;
      handlers.current.onControl(event.control as Control | null, event.is_mine === true);
    };
    const open = async () => {
      const { url } = await call<{ url: string }>('POST', `/computers/${id}/view`, {
        body: { mode },
        signal: left.signal,
      });
      const connected = await connectScreen(id, new URL(url).hash.slice(1), element, {
        mode,
        signal: left.signal,
        onEvent,
        onLive: () => {
          setState('live');
          setReason(undefined);
        },
        onEnd: (ending: Ending | undefined) =>
          again(ending?.reason ?? 'The connection was lost. Connecting again…'),
      });
      channel = connected.channel;
      rfb.current = connected.rfb;
    };
    open().catch((error: unknown) => again(asFailure(error).message));
    const stopWatching = watchEscape(element, () => handlers.current.onEscape());
    return () => {
      left.abort();
      clearTimeout(timer);
      stopWatching();
      channel?.close();
      rfb.current = undefined;
    };
  }, [id, mode, isOn, attempt]);
  return { state: isOn ? state : 'connecting', reason, clipboard, rfb: () => rfb.current };
}
