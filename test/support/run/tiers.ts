import { inject, it } from 'vitest';

/** True for `npm run test:thorough`. */
export const isThorough = process.env.VC_TEST_TIER === 'thorough';

type Define = (title: string, body: () => unknown, timeout?: number) => void;

/** `it` with the tag `thorough`. */
export const thorough: Define = (title, body, timeout) =>
  it(title, { tags: ['thorough'], timeout }, async () => void (await body()));

/** Defines no test, in place of one that would be skipped. */
export const leaveOut = (): void => undefined;

const isDocker = inject('engine') === 'docker';

/** `it` for a test that is independent of the engine, and runs only on Docker. */
export const onDocker: Define = isDocker ? it : leaveOut;

/** `it` for a test that is independent of the engine: on the others, it runs in the thorough tier. */
export const onDockerFirst: Define = isDocker || isThorough ? it : leaveOut;

/** The first value in a thorough run, else the second. */
export const inTier = <T>(values: { readonly thorough: T; readonly quick: T }): T =>
  isThorough ? values.thorough : values.quick;
