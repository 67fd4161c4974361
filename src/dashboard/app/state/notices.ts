import { signal } from '@preact/signals';
import { asFailure, type Failure } from '../api/failure.js';
import { visible } from './visible.js';

export interface Notice {
  readonly id: number;
  readonly text: string;
  /** Set for an error, which stays until it is dismissed. */
  readonly failure?: Failure;
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
  const id = add({ text });
  setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Shows an error; `what` says what failed. */
export function tellFailure(what: string, error: unknown): void {
  const failure = asFailure(error);
  // The banner already says that the service is away, and the login page that the session ended.
  if (failure.code === 'unreachable' || failure.status === 401) return;
  add({ text: what, failure });
}

function add(notice: Omit<Notice, 'id'>): number {
  last += 1;
  const shown = { ...notice, text: visible(notice.text), id: last };
  notices.value = [...notices.value, shown].slice(-MOST);
  return last;
}
