import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { call, request } from '../../../api/http.js';
import type { Computer, Control } from '../../../api/types.js';
import { returns } from '../../../state/connection.js';
import { tell, tellFailure } from '../../../state/notices.js';

/** A person who controls a computer says so this often, in milliseconds. */
const RENEW_MS = 20_000;

interface ControlAnswer {
  readonly control: Control | null;
  readonly is_mine: boolean;
}

export interface ControlState {
  /** Who controls the computer alone; null for nobody. */
  readonly holder: Control['holder'] | null;
  readonly since: string | undefined;
  readonly isMine: boolean;
  readonly isBusy: boolean;
  readonly take: (how?: 'force') => void;
  readonly giveBack: () => void;
  /** The service says who has it. */
  readonly note: (control: Control | null, isMine: boolean) => void;
}

/** Who controls the computer, and taking and giving it back. It is given back when the page is left. */
export function useControl({ id, control = null }: Computer): ControlState {
  const [isMine, setMine] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const path = `/computers/${id}/control`;
  /** There is nothing to give back. */
  const isLost = useRef(false);
  const isGivingBack = useRef(false);
  const note = useCallback(
    (now: Control | null, mine: boolean) => {
      if (mine || !isMine) return;
      isLost.current = true;
      setMine(false);
      // The service may say so before it answers.
      if (isGivingBack.current && now === null) return;
      tell(now === null ? 'Your control has ended.' : `${nameOf(now)} took control.`);
    },
    [isMine],
  );
  useEffect(() => {
    if (!isMine) return undefined;
    isLost.current = false;
    const renew = () =>
      void request('POST', path, { body: {} }).catch((error: unknown) => {
        isLost.current = true;
        setMine(false);
        tellFailure('You no longer control the computer', error);
      });
    const release = () => void request('DELETE', path, { keepalive: true }).catch(() => undefined);
    const timer = setInterval(renew, RENEW_MS);
    window.addEventListener('pagehide', release);
    return () => {
      clearInterval(timer);
      window.removeEventListener('pagehide', release);
      if (!isLost.current) release();
    };
  }, [isMine, path]);
  const take = (how?: 'force') => {
    setBusy(true);
    request('POST', path, { body: how === 'force' ? { force: true } : {} })
      .then(
        () => setMine(true),
        (error: unknown) => tellFailure('Could not take control', error),
      )
      .finally(() => setBusy(false));
  };
  const giveBack = () => {
    setBusy(true);
    isGivingBack.current = true;
    request('DELETE', path)
      .then(
        () => {
          isLost.current = true;
          setMine(false);
        },
        (error: unknown) => tellFailure('Could not hand back control', error),
      )
      .finally(() => {
        isGivingBack.current = false;
        setBusy(false);
      });
  };
  // A page that was left while it held control, for example by a reload, may hold it still.
  useEffect(() => {
    const left = new AbortController();
    readState(path, left.signal).then(
      ({ is_mine }) => setMine((mine) => mine || is_mine),
      () => undefined,
    );
    return () => left.abort();
  }, [path]);
  const { since } = control ?? {};
  const back = returns.value;
  // Another may have taken it, or it has ended with the service.
  // Asks when the holder changes.
  useEffect(() => {
    if (!isMine) return undefined;
    const left = new AbortController();
    readState(path, left.signal).then(
      (state) => note(state.control, state.is_mine),
      () => undefined,
    );
    return () => left.abort();
  }, [path, since, back, isMine, note]);
  return {
    holder: control?.holder ?? null,
    since,
    isMine,
    isBusy,
    take,
    giveBack,
    note,
  };
}

function readState(path: string, signal: AbortSignal): Promise<ControlAnswer> {
  return call<ControlAnswer>('GET', path, { signal });
}

/** Who has control, for a sentence. */
function nameOf({ holder: { key_name, session } }: Control): string {
  const name = key_name ?? 'A key';
  return session ? `${name} (web page)` : name;
}
