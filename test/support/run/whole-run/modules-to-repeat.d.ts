import type { SerializedError, TestModule } from 'vitest/node';

export function modulesToRepeat(
  run: {
    readonly testModules: readonly TestModule[];
    readonly unhandledErrors: readonly (SerializedError | unknown)[];
  },
  most: number,
): TestModule[];
