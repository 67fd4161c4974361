import { signal } from '@preact/signals';
import { call } from '../api/http.js';
import { keepSocket } from '../api/socket.js';
import type { Status, WallComputer } from '../api/types.js';

type WallMessage =
  | { readonly type: 'list'; readonly computers: readonly WallComputer[] }
  | { readonly type: 'computer'; readonly computer: WallComputer }
  | { readonly type: 'change'; readonly id: string; readonly status: Status; readonly seq: number }
  | { readonly type: 'removed'; readonly id: string };

/** The computers by their id, kept up to date while a page watches them. */
export const computers = signal<ReadonlyMap<string, WallComputer>>(new Map());
/** True once the list was read. */
export const isListed = signal(false);

/** Adds a computer, or replaces it. */
export function noteComputer(computer: Omit<WallComputer, 'seq'> & { seq?: number }): void {
  const known = computers.value.get(computer.id);
  const seq = computer.seq ?? known?.seq ?? 0;
  const { captures = known?.captures, viewers = known?.viewers } = computer;
  const noted = { ...computer, seq, captures, viewers };
  computers.value = new Map(computers.value).set(computer.id, noted);
}

export function forgetComputer(id: string): void {
  const rest = new Map(computers.value);
  rest.delete(id);
  computers.value = rest;
}

/**
 * Keeps {@link computers} up to date until the returned function is called, which forgets them: the
 * next session may see others.
 */
export function watchWall(): () => void {
  const close = keepSocket('/wall', receive, window.start.wall);
  window.start.wall = undefined;
  return () => {
    close();
    computers.value = new Map();
    isListed.value = false;
  };
}

function receive(data: string): void {
  const message = JSON.parse(data) as WallMessage;
  if (message.type === 'list') {
    computers.value = new Map(message.computers.map((computer) => [computer.id, computer]));
    isListed.value = true;
  } else if (message.type === 'computer') noteComputer(message.computer);
  else if (message.type === 'removed') forgetComputer(message.id);
  else change(message);
}

function change({ id, status, seq }: Extract<WallMessage, { type: 'change' }>): void {
  const known = computers.value.get(id);
  if (known === undefined || known.status !== status) {
    // Other fields change with the status: its reason, and when it was started.
    call<WallComputer>('GET', `/computers/${id}`).then(
      (computer) => noteComputer({ ...computer, seq }),
      () => undefined,
    );
  }
  if (known !== undefined) noteComputer({ ...known, status, seq });
}
