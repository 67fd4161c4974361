import { signal } from '@preact/signals';
import { call } from '../api/http.js';
import type { Computer, Method, Status, WallComputer } from '../api/types.js';
import { tellFailure } from './notices.js';
import { forgetComputer, noteComputer } from './wall.js';

/** What was asked of computers and is not answered yet: shown at once, but only as an intent. */
const intents = signal<ReadonlyMap<string, Status>>(new Map());

/** The status to show: what was just asked for, else what the service says. */
export function shownStatus({ id, status }: Pick<Computer, 'id' | 'status'>): Status {
  return intents.value.get(id) ?? status;
}

function intend(id: string, status: Status | undefined): void {
  const next = new Map(intents.value);
  if (status === undefined) next.delete(id);
  else next.set(id, status);
  intents.value = next;
}

async function act(
  computer: Computer,
  { method, path, status, verb }: { method: Method; path: string; status: Status; verb: string },
): Promise<void> {
  intend(computer.id, status);
  try {
    const answer = await call<Partial<WallComputer>>(method, `/computers/${computer.id}${path}`);
    if (answer.id === undefined) forgetComputer(computer.id);
    else noteComputer({ ...computer, ...answer });
  } catch (error) {
    tellFailure(`Could not ${verb} ${computer.project_name}/${computer.name}`, error);
  } finally {
    intend(computer.id, undefined);
  }
}

export const start = (computer: Computer) =>
  void act(computer, { method: 'POST', path: '/start?wait=0', status: 'starting', verb: 'start' });
export const restart = (computer: Computer) =>
  void act(computer, {
    method: 'POST',
    path: '/restart?wait=0',
    status: 'starting',
    verb: 'restart',
  });
export const stop = (computer: Computer) =>
  void act(computer, { method: 'POST', path: '/stop', status: 'stopping', verb: 'stop' });
export const remove = (computer: Computer) =>
  void act(computer, { method: 'DELETE', path: '', status: 'deleting', verb: 'delete' });
