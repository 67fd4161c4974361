import { useEffect, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { Commands } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Field, given } from '../../components/forms/field.js';
import { logIn } from '../../state/log-in.js';
import { ending } from '../../state/session.js';

/** The login: by a one-time link from the command line, or with an API key. */
export function Login({ failure: ofLink }: { failure: Failure | undefined }) {
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Log in – vc';
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const key = given(new FormData(form), 'key')?.trim();
    if (key === undefined || isBusy) return;
    setBusy(true);
    await logIn({ key }).catch((error: unknown) => setFailure(asFailure(error)));
    setBusy(false);
  };
  return (
    <main class="login">
      <form class="form" onSubmit={submit}>
        <p class="brand">
          <span class="logo" aria-hidden="true" />
          vc
        </p>
        <h1>Log in to this service</h1>
        <Field label="API key" name="key" type="password" required autofocus />
        <FailureNote failure={failure ?? ofLink ?? ending.value} />
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'Logging in…' : 'Log in'}
        </button>
        <p class="muted">Without typing a key, on a computer that is logged in:</p>
        <Commands lines={['vc dashboard']} />
      </form>
    </main>
  );
}
