// Builds the package into dist: types by tsc, JavaScript by rolldown, and the texts of `--help`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import config from '../rolldown.config.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const run = (program, ...args) => execFileSync(program, args, { stdio: 'inherit' });

rmSync('dist', { recursive: true, force: true });
run('node_modules/.bin/tsc', '-p', 'tsconfig.build.json');
const { output, ...input } = config;
await build({ ...input, output, logLevel: 'warn' });

const help = JSON.parse(
  execFileSync(process.execPath, ['bin/vc.js', '__help-texts'], { encoding: 'utf8' }),
);
mkdirSync('dist/help');
for (const [words, text] of Object.entries(help)) {
  writeFileSync(`dist/help/vc ${words}`.trim().replaceAll(' ', '-').concat('.txt'), text);
}
