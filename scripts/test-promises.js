/** `npm run test:promises`: what test/support/promise.ts describes. Exits 1 if one is broken. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const PROJECTS = ['unit', 'e2e', 'e2e-qemu'];

const { values, tokens } = parseArgs({
  strict: false,
  tokens: true,
  options: { write: { type: 'boolean' }, project: { type: 'string', multiple: true } },
});
const own = tokens.filter(
  ({ kind, name }) => kind === 'option' && ['write', 'project'].includes(name),
);
const taken = new Set(
  own.flatMap(({ index, value, inlineValue }) =>
    value !== undefined && !inlineValue ? [index, index + 1] : [index],
  ),
);
const passed = process.argv.slice(2).filter((_, index) => !taken.has(index));

/** Files with such tests: to load all the others takes long. */
const tests = readdirSync('test', { recursive: true })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name))
  .filter((path) => readFileSync(path, 'utf8').includes('/support/promise.js'));
const files = passed.some((word) => word.endsWith('.ts')) ? [] : tests;

const directory = mkdtempSync(join(tmpdir(), 'vc-promises-'));
const reports = [];
let failed = false;
for (const project of values.project ?? PROJECTS) {
  const report = join(directory, `${project}.json`);
  const words = ['vitest', 'run', '--project', project, '--tags-filter', 'promise'];
  const out = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(
    'npx',
    [...words, ...out, '--passWithNoTests', ...passed, ...files],
    {
      stdio: 'inherit',
      env: { VC_TEST_THOROUGH: '1', VC_LIFECYCLES: '100', ...process.env },
    },
  );
  failed ||= status !== 0;
  if (existsSync(report)) reports.push(report);
}
const write = values.write ? ['--write'] : [];
const table = new URL('promises.js', import.meta.url).pathname;
const { status } = spawnSync(process.execPath, [table, ...write, ...reports], { stdio: 'inherit' });
rmSync(directory, { recursive: true });
process.exitCode = failed || status !== 0 ? 1 : 0;
