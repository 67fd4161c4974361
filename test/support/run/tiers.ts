import { inject, it } from 'vitest';

/** True for `npm run test:thorough`; docs/testing.md lists what only that tier tests. */
export const isThorough = process.env.VC_TEST_TIER === 'thorough';

/** A test of another tier. It is not registered, so it does not count as skipped. */
const nothing = Object.assign(() => undefined, { each: () => () => undefined }) as unknown as It;

type It = Pick<typeof it, 'each'> & typeof it;

/** `it` for a test that runs only in the thorough tier. */
export const thorough: It = isThorough ? it : nothing;

/** `it` for a test that is independent of the engine, and runs only on Docker. */
export const onDocker: It = inject('engine') === 'docker' ? it : nothing;

/** The first value in a thorough run, else the second. */
export const inTier = <T>(values: { readonly thorough: T; readonly quick: T }): T =>
  isThorough ? values.thorough : values.quick;
