// Node.js 22 and later keep compiled code between runs; for Node.js 20 this does the same for one
// file. To run a program from a cache is to trust it, so the file has to be the user's own.
const fs = require('node:fs');
const { dirname, join, sep } = require('node:path');
const { Script } = require('node:vm');

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
const MOST_BYTES = 16 << 20;
/** Code that a long command compiled first may have been discarded since. */
const SAVED_WITHIN_MS = 10_000;
const KEPT_MS = 30 * 24 * 3600_000;

/** The exports of a CommonJS file. `word` names what is run: different commands need different code. */
exports.load = function load(file, word) {
  const { ino, dev, size, ctimeMs } = fs.statSync(file);
  // The time of the change, because packages are installed with a fixed time of modification.
  const source = [process.version, process.arch, dev, ino, size, ctimeMs].join(' ');
  const path = cachePath(`code-${process.version}-${ino}`);
  const cached = path === undefined ? undefined : read(path, source);
  const script = new Script(
    `(function(exports,require,module,__filename){${fs.readFileSync(file, 'utf8')}\n})`,
    { filename: file, cachedData: cached?.data },
  );
  const words = cached === undefined || script.cachedDataRejected ? [] : cached.words;
  if (path !== undefined && !words.includes(word)) {
    process.once('exit', () => {
      if (performance.now() > SAVED_WITHIN_MS) return;
      write(path, { source, words: [...words, word] }, script);
    });
  }
  const loaded = { exports: {} };
  const load = (name) => require(name.startsWith('./') ? join(dirname(file), name) : name);
  script.runInThisContext()(loaded.exports, load, loaded, file);
  return loaded.exports;
};

/**
 * Creates the directory for the cache of Node.js, which trusts whatever is in it: undefined unless only
 * this user and root can have put it there, also by replacing a directory above it.
 */
exports.nodeDirectory = function nodeDirectory() {
  const path = cachePath('node');
  if (path === undefined) return undefined;
  try {
    for (const each of [dirname(dirname(path)), dirname(path), path]) makeDirectory(each);
    const real = fs.realpathSync(path);
    const found = fs.lstatSync(real);
    if (!isOwn(found, 'isDirectory') || (found.mode & 0o077) !== 0) return undefined;
    const trusted = [0, process.geteuid()];
    for (let above = dirname(real); ; above = dirname(above)) {
      const { uid, mode } = fs.lstatSync(above);
      const isOpen = (mode & 0o002) !== 0 && (mode & 0o1000) === 0;
      if (!trusted.includes(uid) || isOpen) return undefined;
      if (above === sep) return real;
    }
  } catch {
    return undefined;
  }
};

/** As in src/images/cache.ts. */
function cachePath(name) {
  const { VC_CACHE_DIR, XDG_CACHE_HOME, HOME, NODE_DISABLE_COMPILE_CACHE } = process.env;
  const base = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  const directory = VC_CACHE_DIR || (base && join(base, 'vc'));
  if (NODE_DISABLE_COMPILE_CACHE || !directory?.startsWith('/') || !process.geteuid)
    return undefined;
  return join(directory, name);
}

/** The compiled code of `source`, if there is any and nobody else can have written it. */
function read(path, source) {
  let file;
  try {
    if (!isOwn(fs.lstatSync(dirname(path)), 'isDirectory')) return undefined;
    file = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const found = fs.fstatSync(file);
    if (!isOwn(found, 'isFile') || found.size > MOST_BYTES) return undefined;
    const bytes = fs.readFileSync(file);
    const end = bytes.indexOf('\n');
    const header = JSON.parse(bytes.toString('utf8', 0, end));
    if (header.source !== source) return undefined;
    return { words: header.words, data: bytes.subarray(end + 1) };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

function isOwn(stats, isKind) {
  return stats[isKind]() && stats.uid === process.geteuid() && (stats.mode & 0o022) === 0;
}

/** Writes the file in one step, so that no other run reads a part of it. */
function write(path, header, script) {
  const directory = dirname(path);
  const part = `${path}.${process.pid}`;
  let file;
  try {
    makeDirectory(dirname(directory));
    makeDirectory(directory);
    if (!isOwn(fs.lstatSync(directory), 'isDirectory')) return;
    removeOld(directory);
    file = fs.openSync(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    fs.writeSync(file, `${JSON.stringify(header)}\n`);
    fs.writeSync(file, script.createCachedData());
    // V8 does not notice damage after a power failure.
    fs.fsyncSync(file);
    fs.renameSync(part, path);
  } catch {
    // It is only slower without.
    if (file !== undefined) fs.rmSync(part, { force: true });
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

function makeDirectory(path) {
  if (!fs.existsSync(path)) fs.mkdirSync(path, { mode: 0o700 });
}

/** Removes the files of versions that are no longer used. */
function removeOld(directory) {
  for (const name of fs.readdirSync(directory)) {
    const path = join(directory, name);
    if (/^code-v/.test(name) && fs.lstatSync(path).mtimeMs < Date.now() - KEPT_MS) fs.rmSync(path);
  }
}
