import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The contents of the planted host's home directory before the run; see planted-host.js. */
const PLANTED = ['.config', '.config/vc', '.config/vc/config.json'];

/** The tests' uses of the planted host, one per line; empty without a planted host. */
export function hostViolations(): string[] {
  const directory = process.env.VC_TEST_PLANTED_HOST;
  if (directory === undefined) return [];
  const home = readdirSync(join(directory, 'home'), { recursive: true, encoding: 'utf8' });
  const used = readFileSync(join(directory, 'used'), 'utf8').split('\n').slice(0, -1);
  return [
    ...new Set(used),
    ...home.filter((path) => !PLANTED.includes(path)).map((path) => `~/${path} was written`),
  ];
}
