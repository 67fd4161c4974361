import { useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { FailureNote } from '../../components/failure.js';
import { Dialog } from '../../components/forms/dialog.js';
import { logIn, otherLink } from '../../state/log-in.js';

/** Asks before a link changes the key with which the browser is logged in. */
export function OtherLink() {
  const [failure, setFailure] = useState<Failure>();
  const link = otherLink.value;
  if (link === undefined) return null;
  const stay = () => {
    otherLink.value = undefined;
  };
  const change = () =>
    logIn({ login: link.login, replace: true }).then(
      // What the page has read belongs to the other key.
      () => location.reload(),
      (error: unknown) => setFailure(asFailure(error)),
    );
  return (
    <Dialog title="Log in with another key?" onClose={stay}>
      <p class="break">{link.failure.message}</p>
      <p>Someone else may have sent you the link. Only change to it if you made it yourself.</p>
      <FailureNote failure={failure} />
      <footer>
        <button type="button" data-first onClick={stay}>
          Stay logged in
        </button>
        <button type="button" class="danger" onClick={change}>
          Change to that key
        </button>
      </footer>
    </Dialog>
  );
}
