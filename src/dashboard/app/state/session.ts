import { computed, signal } from '@preact/signals';
import { Failure } from '../api/failure.js';
import { forgetSession } from '../api/logged-in.js';
import type { Rights, Session } from '../api/types.js';

/** Undefined until the service was asked, null when nobody is logged in. */
export const session = signal<Session | null | undefined>(undefined);
/** Why the last session ended, unless the person ended it. */
export const ending = signal<Failure | undefined>(undefined);

/** The service no longer accepts the session. */
export function endSession(): void {
  if (session.value) {
    ending.value = new Failure(
      'Your session has ended: its key was revoked, it has expired, or you logged out.',
      { status: 401, code: 'unauthorized', remedy: 'Log in again.' },
    );
  }
  session.value = null;
  forgetSession();
}

/** Whether the key of the session is not limited to one project. */
export const ofAllProjects = computed(() => session.value?.key.project === null);

const ORDER: readonly Rights[] = ['look', 'act', 'manage'];

/** Whether the key of the session has these rights. */
export const may = computed(() => {
  const has = ORDER.indexOf(session.value?.key.rights ?? 'manage');
  return (rights: Rights) => has >= ORDER.indexOf(rights);
});
