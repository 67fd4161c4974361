#!/usr/bin/env node
// The launcher: nothing but fast paths and one import.
import { existsSync, fstatSync, readFileSync, writeSync } from 'node:fs';

const argv = process.argv.slice(2);
const entry = new URL('../dist/cli/entry.js', import.meta.url);

if (isVersion() && print(`${version()}\n`)) {
  process.exitCode = 0;
} else if (!existsSync(entry)) {
  process.stderr.write('error: vc is not built yet\n       run: npm run build\n');
  process.exitCode = 1;
} else if (!printHelp(helpKeys())) {
  // The service lives for months: its space for young objects stays at 1 MB instead of growing to
  // 16, which saves a tenth of its memory and costs nothing that can be measured.
  if (argv[0] === 'serve')
    process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  // Node 22 and later keep compiled code between runs.
  process.getBuiltinModule('node:module').enableCompileCache?.();
  // Completion scripts call with one word, the kind of name: for that nothing has to be parsed.
  const isCompletion = argv[0] === '__complete' && argv.length === 2;
  await import(isCompletion ? new URL('complete.js', entry).href : entry.href);
}

function isVersion() {
  return argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V');
}

function version() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}

/** Where the text that is asked for may stand among the help texts; none when more is asked. */
function helpKeys() {
  const words = argv.filter((word) => word !== '--help' && word !== '-h');
  const hasFlag = words.length < argv.length;
  if (words.some((word) => word.startsWith('-'))) return [];
  if (hasFlag || words.length === 0) return [words.join(' ')];
  if (words[0] !== 'help') return [];
  const rest = words.slice(1).join(' ');
  return rest === '' ? [''] : [`help ${rest}`, rest];
}

/** Prints a help text that the build has made; false when there is none that fits. */
function printHelp(keys) {
  const { FORCE_COLOR, NO_COLOR, TERM } = process.env;
  if (keys.length === 0 || FORCE_COLOR) return false;
  // Loading what tells a terminal takes a few milliseconds, so not for a pipe or a file.
  const isTerminal =
    fstatSync(1).isCharacterDevice() && process.getBuiltinModule('node:tty').isatty(1);
  if (isTerminal && process.stdout.columns < 80) return false;
  const text = keys.map(readHelp).find((found) => found !== undefined);
  if (text === undefined) return false;
  const isPlain = !isTerminal || NO_COLOR || TERM === 'dumb';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of bold text
  return print(isPlain ? text.replaceAll(/\u001b\[\d+m/g, '') : text);
}

/** The text for `computer click`; undefined when the build has made none. */
function readHelp(key) {
  if (!/^[a-z -]*$/.test(key)) return undefined;
  const name = `vc ${key}`.trim().replaceAll(' ', '-');
  try {
    return readFileSync(new URL(`../dist/help/${name}.txt`, import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}

/** False when stdout takes nothing now: the command line itself can wait for it. */
function print(text) {
  try {
    writeSync(1, text);
    return true;
  } catch {
    return false;
  }
}
