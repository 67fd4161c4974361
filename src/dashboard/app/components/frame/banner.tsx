import { isAway } from '../../state/connection.js';

/** Says that the service is away; the page stays as it was last seen. */
export function Banner() {
  return (
    <div role="status">
      {isAway.value && (
        <p class="banner">
          <span class="spinner" aria-hidden="true" />
          The service is not reachable. What you see may be old.
        </p>
      )}
    </div>
  );
}
