#!/usr/bin/env node
// The launcher: prints the version and saved help texts itself, and imports the command line for the rest.
const { existsSync, fstatSync, readFileSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const argv = process.argv.slice(2);
const root = join(__dirname, '..');

if (isVersion() && print(`${version()}\n`)) {
  process.exitCode = 0;
} else if (!existsSync(join(root, 'dist/cli/entry.js'))) {
  process.stderr.write('error: vc is not built yet\n       run: npm run build\n');
  process.exitCode = 1;
} else if (argv[0] === '__complete') {
  run('complete.js');
} else if (!printHelp(helpKeys())) {
  if (argv[0] === 'serve') {
    // Threads of libuv, 4 by default.
    process.env.UV_THREADPOOL_SIZE ||= '8';
    // Keeps V8's young generation at 1 MB until foreground.ts lets it grow: a fifth less memory.
    process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  }
  run('entry.js');
}

function run(file) {
  const cache = cacheDirectory();
  // Node.js 22 and later. Their own directory is in /tmp, where other users could put code into it.
  if (cache) process.getBuiltinModule('node:module').enableCompileCache?.(join(cache, 'node'));
  import(require('node:url').pathToFileURL(join(root, 'dist/cli', file)).href);
}

/** The same as in src/images/cache.ts; undefined without a home directory. */
function cacheDirectory() {
  const { VC_CACHE_DIR, XDG_CACHE_HOME, HOME } = process.env;
  const base = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  return VC_CACHE_DIR || (base && join(base, 'vc'));
}

function isVersion() {
  return argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V');
}

function version() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/** Keys of the requested help text; empty if the command line is not a plain request for help. */
function helpKeys() {
  const words = argv.filter((word) => word !== '--help' && word !== '-h');
  const hasFlag = words.length < argv.length;
  if (words.some((word) => word.startsWith('-'))) return [];
  if (hasFlag || words.length === 0) return [words.join(' ')];
  if (words[0] !== 'help') return [];
  const rest = words.slice(1).join(' ');
  return rest === '' ? [''] : [`help ${rest}`, rest];
}

/** Prints a help text saved by the build; false if none fits. */
function printHelp(keys) {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  if (keys.length === 0 || FORCE_COLOR) return false;
  // Loading node:tty takes a few milliseconds, so only for character devices.
  const isTerminal =
    fstatSync(1).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(1);
  if (isTerminal && process.stdout.columns < 80) return false;
  // The command line adds the user's own commands.
  if (keys.includes('') && hasAliases()) return false;
  const text = keys.map(readHelp).find((found) => found !== undefined);
  if (text === undefined) return false;
  const isPlain = !isTerminal || NO_COLOR || TERM === 'dumb';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of bold text
  return print(isPlain ? text.replaceAll(/\u001b\[\d+m/g, '') : text);
}

/** True if the profile file may have aliases; the same paths as in src/profile/directory.ts. */
function hasAliases() {
  const { VC_CONFIG_DIR, XDG_CONFIG_HOME, HOME } = process.env;
  const directory = VC_CONFIG_DIR || `${XDG_CONFIG_HOME || `${HOME}/.config`}/vc`;
  try {
    return readFileSync(`${directory}/config.json`, 'utf8').includes('"aliases"');
  } catch {
    return false;
  }
}

/** The help text of a key such as `computer click`; undefined if there is none. */
function readHelp(key) {
  if (!/^[a-z -]*$/.test(key)) return undefined;
  const name = `vc ${key}`.trim().replaceAll(' ', '-');
  try {
    return readFileSync(join(root, `dist/help/${name}.txt`), 'utf8');
  } catch {
    return undefined;
  }
}

/** False if stdout takes nothing now; the command line waits for a slow reader and reports errors. */
function print(text) {
  const bytes = Buffer.from(text);
  let at = 0;
  try {
    while (at < bytes.length) at += writeSync(1, bytes, at);
  } catch {
    if (at === 0) return false;
    // A stream waits for the reader. Other errors fail again, and end the process with code 1.
    process.stdout.write(bytes.subarray(at));
  }
  return true;
}
