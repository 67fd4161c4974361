import { useEffect, useState } from 'preact/hooks';
import { asFailure, type Failure } from '../../api/failure.js';
import { Commands } from '../../components/empty.js';
import { FailureNote } from '../../components/failure.js';
import { Field, given } from '../../components/forms/field.js';
import { logIn } from '../../state/log-in.js';
import { ending } from '../../state/session.js';

/**
 * Whether other users of this machine can answer at the address, or see its cookies. Then the page asks
 * for no key: theirs would look the same.
 */
function isShared({ hostname }: Location): boolean {
  return /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(hostname);
}

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
  if (isShared(location)) {
    return (
      <main class="login">
        <div class="form">
          <Brand />
          <h1>Log in to this service</h1>
          <FailureNote failure={ofLink ?? ending.value} />
          <p>To log in, run this on a machine where vc is logged in, and open the link:</p>
          <Commands lines={['vc dashboard']} />
          <p class="muted">This page never asks for an API key.</p>
        </div>
      </main>
    );
  }
  return (
    <main class="login">
      <form class="form" onSubmit={submit}>
        <Brand />
        <h1>Log in to this service</h1>
        <Field label="API key" name="key" type="password" required autofocus />
        <FailureNote failure={failure ?? ofLink ?? ending.value} />
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {isBusy ? 'Logging in…' : 'Log in'}
        </button>
        <p class="muted">Without typing a key, on a machine where vc is logged in:</p>
        <Commands lines={['vc dashboard']} />
      </form>
    </main>
  );
}

function Brand() {
  return (
    <p class="brand">
      <span class="logo" aria-hidden="true" />
      vc
    </p>
  );
}
