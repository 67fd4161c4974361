import { command } from './commands/complete.js';
import { createContext, createSurroundings } from './create-context.js';
import { readGlobals } from './globals.js';
import { exitProcess } from './io.js';

// Imported by bin/vc.js for what a completion script asks: somebody waits with a finger on the
// key, so the parser and everything else that answers nothing here stays unloaded. What goes wrong
// is silence, as a shell expects.
const surroundings = createSurroundings({});
const [kind] = process.argv.slice(3);
const code = await command
  .invoke(createContext(surroundings, readGlobals({})), { kind }, {})
  .then(() => 0)
  .catch(() => 1);
exitProcess(code);
