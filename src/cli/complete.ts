import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDirectory } from '../profile/directory.js';
import { aliasExpanded, withAliases } from './alias/complete.js';
import { complete } from './completion/complete.js';
import { exitProcess, printAtOnce } from './framework/io.js';

// Imported by bin/vc.js for `vc __complete WORD...`. A person is waiting, so it loads no command:
// the build saves what completion needs, and names are looked up only where they are wanted.
const line = JSON.parse(readFileSync(new URL('../completion.json', import.meta.url), 'utf8'));
// Most people have no aliases, and to parse the file takes as much code as all of this.
const aliases = mentionsAliases()
  ? await (await import('./alias/expand.js')).readAliases(process.env)
  : {};
const words = aliasExpanded(process.argv.slice(3), aliases);
const lines = await complete(withAliases(line, aliases), words, async (wanted) =>
  (await import('./completion/names.js')).namesGiven(wanted),
);
await printAtOnce(`${lines.join('\n')}\n`).catch(() => exitProcess(1));
// A look-up that takes too long, of a host name for example, must not hold the shell.
exitProcess(0);

function mentionsAliases(): boolean {
  try {
    return readFileSync(join(configDirectory(process.env), 'config.json'), 'utf8').includes(
      '"aliases"',
    );
  } catch {
    return false;
  }
}
