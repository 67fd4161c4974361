import { useCallback, useEffect, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../api/failure.js';
import { returns } from './connection.js';
import { isVisible } from './visibility.js';

export interface Data<Value> {
  /** Undefined until it was read; then the last that was read. */
  readonly value: Value | undefined;
  readonly failure: Failure | undefined;
  readonly reload: () => void;
}

/** Reads data when the page is shown, when `key` changes, and when the service comes back. */
export function useData<Value>(
  key: string,
  read: (signal: AbortSignal) => Promise<Value>,
): Data<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; failure?: Failure }>({ key });
  const [asked, setAsked] = useState(0);
  const back = returns.value;
  // `key` stands for what `read` reads.
  useEffect(() => {
    const left = new AbortController();
    read(left.signal).then(
      (value) => {
        if (!left.signal.aborted) setState({ key, value });
      },
      (error: unknown) => {
        if (left.signal.aborted) return;
        setState((old) => ({ ...(old.key === key ? old : { key }), failure: asFailure(error) }));
      },
    );
    return () => left.abort();
  }, [key, asked, back]);
  const reload = useCallback(() => setAsked((count) => count + 1), []);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    failure: isCurrent ? state.failure : undefined,
    reload,
  };
}

/** Reads the data again so many milliseconds after each answer, while the page can be seen. */
export function useRefresh<Value>({ value, failure, reload }: Data<Value>, ms: number): void {
  const visible = isVisible.value;
  useEffect(() => {
    if (!visible) return undefined;
    const timer = setTimeout(reload, ms);
    return () => clearTimeout(timer);
  }, [visible, value, failure, reload, ms]);
}
