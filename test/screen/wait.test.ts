import { expect, it } from 'vitest';
import { within } from '../../src/screen/wait.js';

it('leaves nothing behind of a promise that nobody waited for', async () => {
  const over = AbortSignal.abort(new Error('over'));
  const late = new Promise<void>((_, reject) => setImmediate(() => reject(new Error('late'))));
  const onTimeout = () => new Error('too late');
  const waiting = within(late, { timeoutMs: 1_000, onTimeout, signal: over });
  await expect(waiting).rejects.toThrow('over');
  // A rejection that nobody handles ends a process, and is told by the test runner.
  await new Promise((resolve) => setTimeout(resolve, 5));
});
