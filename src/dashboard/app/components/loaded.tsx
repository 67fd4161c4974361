import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from '../api/failure.js';
import { load } from '../api/load.js';
import { FailureNote } from './failure.js';

/** A component that is loaded when it is first shown. */
export function loaded<Props extends object>(
  part: () => Promise<ComponentType<Props>>,
): (props: Props) => JSX.Element {
  let known: { readonly Part: ComponentType<Props> } | undefined;
  return function Loaded(props: Props) {
    const [shown, setShown] = useState(known);
    const [failure, setFailure] = useState<Failure>();
    useEffect(() => {
      let isLeft = false;
      load(part).then(
        (Part) => {
          known = { Part };
          if (!isLeft) setShown(known);
        },
        () => {
          if (!isLeft) setFailure(notLoaded());
        },
      );
      return () => {
        isLeft = true;
      };
    }, []);
    if (shown !== undefined) return <shown.Part {...props} />;
    return (
      <div class="page">
        <FailureNote failure={failure} />
        {failure === undefined && <p class="muted">Loading…</p>}
      </div>
    );
  };
}

function notLoaded(): Failure {
  const details = { status: 0, code: 'page', remedy: 'Reload the page.' };
  return new Failure('This part of the page could not be loaded.', details);
}
