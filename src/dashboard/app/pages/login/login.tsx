import { useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, Failure } from '../../api/failure.js';
import { FailureNote } from '../../components/failure.js';
import { Copy } from '../../components/forms/copy.js';
import { Dialog } from '../../components/forms/dialog.js';
import { Field } from '../../components/forms/field.js';
import { given } from '../../components/forms/given.js';
import { logIn, otherLink } from '../../state/log-in.js';
import { ending } from '../../state/session.js';

/**
 * The login, in place of whatever page was asked for, which is shown afterwards. `failure` is why a
 * one-time link did not work.
 */
export function Login({ failure: ofLink }: { failure: Failure | undefined }) {
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const focusKey = () => form.current?.querySelector<HTMLInputElement>('[name=key]')?.select();
  useEffect(() => {
    document.title = 'Log in – vc';
    focusKey();
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const key = given(new FormData(form.current ?? undefined), 'key')?.trim();
    if (!key || isBusy) return;
    setBusy(true);
    try {
      await logIn({ key });
    } catch (error) {
      const said = asFailure(error);
      const { status, code } = said;
      // For a wrong key, the commands below say what to do.
      setFailure(status === 401 ? new Failure(said.message, { status, code }) : said);
      setBusy(false);
      focusKey();
    }
  };
  const shown = failure ?? ofLink ?? ending.value;
  return (
    <main class="login">
      <div class="card">
        <header>
          <span class="logo" aria-hidden="true" />
          <h1>Log in to vc</h1>
          <p class="muted break">{location.host}</p>
        </header>
        <form class="form" ref={form} method="post" onSubmit={(event) => void submit(event)}>
          {/* Password managers store a key under this name. */}
          <input type="text" name="username" autocomplete="username" value="vc" readOnly hidden />
          <Field
            label="API key"
            name="key"
            type="password"
            autocomplete="current-password"
            placeholder="vc_…"
            required
          />
          <FailureNote failure={shown} />
          <button type="submit" class="primary" aria-disabled={isBusy}>
            {isBusy ? 'Logging in…' : 'Log in'}
          </button>
        </form>
        <section aria-label="Where to get a key">
          <p class="muted">No key at hand? On a machine where vc is logged in:</p>
          <dl>
            <Command does="Open this page, logged in" line="vc dashboard" />
            <Command does="Create an API key" line="vc key create NAME" />
          </dl>
        </section>
      </div>
    </main>
  );
}

function Command({ does, line }: { does: string; line: string }) {
  return (
    <div>
      <dt>{does}</dt>
      <dd>
        <code>{line}</code>
        <Copy class="small ghost" text={() => line}>
          Copy
        </Copy>
      </dd>
    </div>
  );
}

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
