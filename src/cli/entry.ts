import { exitProcess } from './framework/io.js';
import { main } from './main.js';

// Imported by bin/vc.js: runs the process's own command line and ends the process.
exitProcess(await main(process.argv.slice(2)));
