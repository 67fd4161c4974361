// Builds the package into dist, and that of the client into clients/typescript/dist: types by tsc, JavaScript by rolldown, and the generated data files.
// With --watch (`npm run dev`) it rebuilds the JavaScript and the data after each change, with --no-types
// it leaves out the types, half of the time, which only other programs need.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, watch } from 'rolldown';
import cli, { client, contract } from '../rolldown.config.js';
import { copyTypes } from './client-types.js';
import { writeTypes } from './contract.js';
import { buildDashboard } from './dashboard.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const run = (program, ...args) => execFileSync(program, args, { stdio: 'inherit' });
const generate = () => run(process.execPath, 'bin/vc.js', '__generate', '--dist');
const options = [contract, ...client, cli].map((config) => ({
  ...config,
  logLevel: 'warn',
}));

for (const output of ['dist', 'clients/typescript/dist']) {
  rmSync(output, { recursive: true, force: true });
}
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
  if (!process.argv.includes('--no-types')) {
    run('node_modules/.bin/tsc', '-p', 'tsconfig.build.json');
    copyTypes();
    for (const name of ['client', 'profile']) rmSync(`dist/${name}`, { recursive: true });
  }
  for (const each of options) await build(each);
  await buildDashboard();
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
