import { readFileSync, writeSync } from 'node:fs';
import { aliasExpanded, withAliases } from './alias/complete.js';
import { readAliases } from './alias/expand.js';
import { complete } from './completion/complete.js';
import { exitProcess } from './framework/io.js';

// Imported by bin/vc.js for `vc __complete WORD...`. A person is waiting, so it loads no command:
// the build saves what completion needs, and names are looked up only where they are wanted.
const line = JSON.parse(readFileSync(new URL('../completion.json', import.meta.url), 'utf8'));
const aliases = await readAliases(process.env);
const words = aliasExpanded(process.argv.slice(3), aliases);
const lines = await complete(withAliases(line, aliases), words, async (wanted) =>
  (await import('./completion/names.js')).namesGiven(wanted),
);
writeSync(1, `${lines.join('\n')}\n`);
// A look-up that takes too long, of a host name for example, must not hold the shell.
exitProcess(0);
