import { inject, it } from 'vitest';

/** Whether this run is `npm run test:thorough`; docs/testing.md lists what only that tier does. */
export const isThorough = process.env.VC_TEST_TIER === 'thorough';

/** A test that is not part of this run. It is not registered, so it does not count as skipped. */
const nothing = Object.assign(() => undefined, { each: () => () => undefined }) as unknown as It;

type It = Pick<typeof it, 'each'> & typeof it;

/** `it` for a test of the thorough tier alone. */
export const thorough: It = isThorough ? it : nothing;

/** `it` for a test that needs one engine only, Docker, because it tests nothing of the engine. */
export const onDocker: It = inject('engine') === 'docker' ? it : nothing;

/** The first value in a thorough run, else the second. */
export const inTier = <T>(values: { readonly thorough: T; readonly quick: T }): T =>
  isThorough ? values.thorough : values.quick;
