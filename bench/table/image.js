import { run } from './run-program.js';

/** Builds or imports the Linux image of the launcher's checkout, if the engine does not have it. */
export async function buildImage(vc, engine, { prefix = [], env }) {
  const words = [vc, 'image', 'build', 'linux', '--engine', engine, '--if-missing'];
  await run([...prefix, process.execPath, ...words], env);
}
