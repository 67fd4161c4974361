/**
 * Runs all tests, or those of vitest's arguments: `node whole-run.js [ARGUMENT…]`. If few files failed,
 * they run once more at the end, when nothing else runs, with the same engines. The reporter names them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createVitest, parseCLI } from 'vitest/node';
import { buildQemuImage } from './build-qemu-image.js';
import { modulesToRepeat } from './modules-to-repeat.js';

/** More failed files than this are a fault of the code, not of a busy host. */
const MOST_REPEATED = 5;

// The reporter ends its report only when no file is to be repeated.
process.env.VC_TEST_REPEAT = `${MOST_REPEATED}`;
// From nothing, it takes minutes on one processor, as the other engines' images do on another.
const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
const { project = ['qemu'] } = options;
const build = [project].flat().includes('qemu') ? buildQemuImage() : undefined;
Object.assign(process.env, { TEST: 'true', VITEST: 'true', NODE_ENV: 'test' });
// Unlike startVitest it does not end the engines after the first run.
const vitest = await createVitest('test', { ...options, run: true, watch: false });
let isInterrupted = false;
/** Ends the tests that run, and then their services, machines and engines, as after a whole run. */
function interrupt() {
  if (isInterrupted) process.exit(130);
  isInterrupted = true;
  delete process.env.VC_TEST_REPEAT;
  console.error('Interrupted: ending the tests and their machines. A second signal leaves them.');
  build?.kill();
  void cancel();
}
/**
 * Again and again: a run that is about to begin ignores it. Never two at once: the second would end
 * the workers before their tests have removed their services.
 */
async function cancel() {
  for (;;) {
    await vitest.cancelCurrentRun('keyboard-input').catch(() => undefined);
    await sleep(1_000, undefined, { ref: false });
  }
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // vitest would exit at once.
  process.removeAllListeners(signal).on(signal, interrupt);
}
const ended = await vitest.start(filter);
const failed = isInterrupted ? [] : modulesToRepeat(ended, MOST_REPEATED);
delete process.env.VC_TEST_REPEAT;
if (failed.length > 0) {
  process.exitCode = 0;
  await vitest.runTestSpecifications(failed.map((module) => module.toTestSpecification()));
}
if (isInterrupted) process.exitCode = 130;
await vitest.exit();
