import { signal } from '@preact/signals';
import { atOnce } from '../api/at-once.js';
import { asFailure, type Failure } from '../api/failure.js';
import { call } from '../api/http.js';
import type { Computer, Method, Status, WallComputer } from '../api/types.js';
import { tell, tellFailure, tellResult } from './notices.js';
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

/** What can be asked of computers. Each may arrive twice, except a restart. */
const POWERS = {
  start: { method: 'POST', path: '/start?wait=0', status: 'starting', done: 'starting' },
  restart: { method: 'POST', path: '/restart?wait=0', status: 'starting', done: 'restarting' },
  stop: { method: 'POST', path: '/stop', status: 'stopping', done: 'stopped' },
  delete: { method: 'DELETE', path: '', status: 'deleting', done: 'deleted' },
} as const satisfies Readonly<
  Record<string, { method: Method; path: string; status: Status; done: string }>
>;
export type Power = keyof typeof POWERS;

/** Computers at the same time; the others wait. */
const AT_ONCE = 4;

/** Asks it of the computers, and says what came of it. */
export async function perform(power: Power, chosen: readonly Computer[]): Promise<void> {
  const { status, done } = POWERS[power];
  const failed: { computer: Computer; name: string; failure: Failure }[] = [];
  for (const { id } of chosen) intend(id, status);
  await atOnce(chosen, AT_ONCE, async (computer) => {
    const name = `${computer.project_name}/${computer.name}`;
    await send(power, computer).catch((error: unknown) =>
      failed.push({ computer, name, failure: asFailure(error) }),
    );
    intend(computer.id, undefined);
  });
  const [first] = failed;
  if (first === undefined) {
    if (chosen.length > 1) tell(`${chosen.length} ${done}`);
  } else if (chosen.length === 1) tellFailure(`Could not ${power} ${first.name}`, first.failure);
  else if (first.failure.status !== 401) {
    const text = `${chosen.length - failed.length} ${done}, ${failed.length} not`;
    const left = failed.map(({ computer }) => computer);
    tellResult(text, failed, () => void perform(power, left));
  }
}

async function send(power: Power, computer: Computer): Promise<void> {
  const { method, path } = POWERS[power];
  const options = { repeatable: power !== 'restart' };
  const address = `/computers/${computer.id}${path}`;
  const answer = await call<Partial<WallComputer>>(method, address, options);
  if (answer.id === undefined) forgetComputer(computer.id);
  else noteComputer({ ...computer, ...answer });
}
