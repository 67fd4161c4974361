const STORED = 'vc-logged-in';

/** Whether this browser probably has a session, whose cookie no script can read. */
export function wasLoggedIn(): boolean {
  return inStorage((storage) => storage.getItem(STORED) !== null) ?? false;
}

export function rememberSession(): void {
  inStorage((storage) => storage.setItem(STORED, 'yes'));
}

export function forgetSession(): void {
  inStorage((storage) => storage.removeItem(STORED));
}

/** A browser may refuse its storage: then the page starts a round trip later. */
function inStorage<T>(act: (storage: Storage) => T): T | undefined {
  try {
    return act(localStorage);
  } catch {
    return undefined;
  }
}
