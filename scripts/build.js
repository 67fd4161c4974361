// Builds the package into dist: types by tsc, JavaScript by rolldown, and the generated data files.
// With --watch (`npm run dev`) it rebuilds the JavaScript and the data after each change.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, watch } from 'rolldown';
import cli, { library, quick } from '../rolldown.config.js';
import { writeTypes } from './types.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const run = (program, ...args) => execFileSync(program, args, { stdio: 'inherit' });
const generate = () => run(process.execPath, 'bin/vc.js', '__generate', '--dist');
const options = [library, cli, ...quick].map((config) => ({ ...config, logLevel: 'warn' }));

rmSync('dist', { recursive: true, force: true });
if (process.argv.includes('--watch')) {
  watch(options).on('event', async (event) => {
    if (event.code === 'ERROR') process.stderr.write(`${event.error.message}\n`);
    if (event.code === 'BUNDLE_END') {
      await event.result.close();
      rebuilt(event.duration);
    }
  });
} else {
  await writeTypes();
  run('node_modules/.bin/tsc', '-p', 'tsconfig.build.json');
  for (const each of options) await build(each);
  generate();
}

function rebuilt(milliseconds) {
  try {
    generate();
    process.stderr.write(`built in ${milliseconds} ms\n`);
  } catch {
    // The command has printed its error; the next change triggers another build.
  }
}
