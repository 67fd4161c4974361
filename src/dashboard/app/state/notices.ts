import { signal } from '@preact/signals';
import { asFailure, type Failure } from '../api/failure.js';
import { visible } from './visible.js';

/** An error, and what it happened to if that was several things. */
export interface Failed {
  readonly failure: Failure;
  readonly names: readonly string[];
}

export interface Notice {
  readonly id: number;
  readonly text: string;
  /** Not empty for errors, which stay until they are dismissed. */
  readonly failed: readonly Failed[];
  /** Does again what failed. */
  readonly retry?: () => void;
}

const SHOWN_MS = 5_000;
const MOST = 4;
let last = 0;

export const notices = signal<readonly Notice[]>([]);

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Says that something was done. */
export function tell(text: string): void {
  const id = add({ text, failed: [] });
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Shows an error; `what` says what failed. */
export function tellFailure(what: string, error: unknown): void {
  const failure = asFailure(error);
  // The login page says that the session has ended.
  if (failure.status !== 401) add({ text: what, failed: [{ failure, names: [] }] });
}

/** Says how what was done to several things has ended, with equal errors together. */
export function tellResult(
  text: string,
  failures: readonly { readonly name: string; readonly failure: Failure }[],
  retry: () => void,
): void {
  const groups = new Map<string, { failure: Failure; names: string[] }>();
  for (const { name, failure } of failures) {
    const group = groups.get(failure.message) ?? { failure, names: [] };
    group.names.push(visible(name));
    groups.set(failure.message, group);
  }
  add({ text, failed: [...groups.values()], retry });
}

function add(notice: Omit<Notice, 'id'>): number {
  last += 1;
  const shown = { ...notice, text: visible(notice.text), id: last };
  notices.value = [...notices.value, shown].slice(-MOST);
  return last;
}
