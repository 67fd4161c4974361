/**
 * Preloaded into a service under test: `node --import …/crash-at.js bin/vc.js serve`. It counts the
 * points at which something lasting is done, in the order in which they come: each statement that
 * changes a lifecycle row and each commit, each file made, renamed, linked or removed, each program
 * started and ended, each request to an Engine sent and answered, each word to a QEMU or a guest's
 * agent. The release has no hook: what is counted are calls of Node's and the database's own.
 *
 * VC_CRASH_ORDERS names a file that holds the number of a point, or an expression that tells what
 * it is. SIGUSR2 reads it and begins to count; at that point the process kills itself with SIGKILL.
 * Every point is written, with what it was, into VC_CRASH_LOG before.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import Database from 'libsql';

const { VC_CRASH_ORDERS: orders, VC_CRASH_LOG: log } = process.env;
const { appendFileSync, readFileSync } = fs;
let armed = false;
/** A number, or a regular expression for what is done. */
let at = 0;
let count = 0;

process.on('SIGUSR2', () => {
  const order = readFileSync(orders, 'utf8');
  at = /^\d+$/.test(order) ? Number(order) : new RegExp(order);
  count = 0;
  armed = true;
  appendFileSync(log, 'armed\n');
});

function point(what) {
  if (!armed) return;
  count += 1;
  appendFileSync(log, `${count} ${what}\n`);
  if (at instanceof RegExp ? at.test(what) : count === at) process.kill(process.pid, 'SIGKILL');
}

/** Replaces a method by one that passes a point before and, when it has done its work, after. */
function around(object, name, describe) {
  const original = object[name];
  object[name] = function (...args) {
    const what = describe(args, this);
    if (what === undefined) return original.apply(this, args);
    point(`${what}: begins`);
    const result = original.apply(this, args);
    if (typeof result?.then !== 'function') {
      point(`${what}: done`);
      return result;
    }
    return result.then((value) => {
      point(`${what}: done`);
      return value;
    });
  };
}

const short = (path) => String(path).split('/').slice(-2).join('/');

// Files. What is opened for reading changes nothing.
const isForWriting = (flags) =>
  typeof flags === 'number'
    ? (flags & (fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0
    : /[wa+]/.test(flags ?? 'r');
around(fs.promises, 'open', ([path, flags]) =>
  isForWriting(flags) ? `open ${short(path)}` : undefined,
);
for (const name of ['rename', 'link', 'symlink', 'unlink', 'rm', 'rmdir', 'mkdir', 'mkdtemp']) {
  around(fs.promises, name, ([path]) => `${name} ${short(path)}`);
}
for (const name of ['writeFile', 'copyFile', 'chown', 'lchown', 'truncate']) {
  around(fs.promises, name, ([path]) => `${name} ${short(path)}`);
}

// Programs.
const { spawn } = childProcess;
childProcess.spawn = (program, args, ...rest) => {
  point(`spawn ${program}: begins`);
  const child = spawn(program, args, ...rest);
  point(`spawn ${program}: done`);
  child.once('exit', () => point(`${program} has ended`));
  return child;
};

// Requests to a Docker Engine; running a command in a container is no step of a lifecycle.
const { addRequest } = http.Agent.prototype;
http.Agent.prototype.addRequest = function (request, ...rest) {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'HEAD' && !/\/exec\b/.test(path)) {
    const what = `${method} ${path.replace(/\?.*/, '')}`;
    request.once('finish', () => point(`${what}: sent`));
    request.once('response', (response) => {
      // Not answered as far as whoever asked knows: that is one turn later.
      response.prependOnceListener('end', () => point(`${what}: answered`));
    });
  }
  return addRequest.call(this, request, ...rest);
};

// QMP, and the agents of guests.
const { write } = net.Socket.prototype;
net.Socket.prototype.write = function (chunk, ...rest) {
  const command = typeof chunk === 'string' && /^\{"(?:execute|do)":"([^"]+)"/.exec(chunk)?.[1];
  // Asked again and again until there is an answer, and nothing is changed by it.
  const isQuestion = !command || /^(query|qmp_capabilities|hello|ready)/.test(command);
  if (!isQuestion) point(`${command}: begins`);
  const result = write.call(this, chunk, ...rest);
  if (!isQuestion) point(`${command}: sent`);
  return result;
};

// The database. Who last used a key and what the ledger says belong to no step.
const isOfStep = (sql) =>
  /^\s*(INSERT INTO|UPDATE|DELETE FROM)\s+(computers|projects)\b/i.test(sql);
const { prepare, exec } = Database.prototype;
let changesStep = false;
Database.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  if (isOfStep(sql)) {
    around(statement, 'run', () => {
      changesStep = true;
      return sql.trim().split(/\s+/).slice(0, 4).join(' ');
    });
  }
  return statement;
};
Database.prototype.exec = function (sql) {
  if (sql.startsWith('BEGIN')) changesStep = false;
  const commits = sql === 'COMMIT' && changesStep;
  if (commits) point('commit: begins');
  const result = exec.call(this, sql);
  if (commits) point('commit: done');
  return result;
};

syncBuiltinESMExports();
