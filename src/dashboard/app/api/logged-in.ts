const STORED = 'vc-logged-in';

/** Whether this browser probably has a session, whose cookie no script can read. */
export function wasLoggedIn(): boolean {
  return localStorage.getItem(STORED) !== null;
}

export function noteLoggedIn(isLoggedIn: boolean): void {
  if (isLoggedIn) localStorage.setItem(STORED, 'yes');
  else localStorage.removeItem(STORED);
}
