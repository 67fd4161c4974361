/**
 * Preloaded into a service under test: `node --import …/crash-at.js bin/vc.js serve`. It counts
 * points with a durable effect, in order: each statement that changes a lifecycle row and each
 * commit, each file created, renamed, linked or removed, each program started and ended, each
 * request to an Engine sent and answered, each message to a QEMU or a guest's agent. The product has
 * no hooks for this: the calls of Node and of the database driver are wrapped.
 *
 * VC_CRASH_ORDERS names a file with the number of a point, or an expression that matches its
 * description. SIGUSR2 reads the file and starts counting; at that point the process kills itself
 * with SIGKILL. Every point and its description are first appended to VC_CRASH_LOG.
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
/** A number, or a regular expression for the description. */
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

/** Wraps a method with a point before and a point after it has completed. */
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

// Files. Opening for reading has no durable effect.
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

// Requests to a Docker Engine, except commands in a container, which are no lifecycle step.
const { addRequest } = http.Agent.prototype;
http.Agent.prototype.addRequest = function (request, ...rest) {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'HEAD' && !/\/exec\b/.test(path)) {
    const what = `${method} ${path.replace(/\?.*/, '')}`;
    request.once('finish', () => point(`${what}: sent`));
    request.once('response', (response) => {
      // One turn later, so that the caller has not seen the answer yet.
      response.prependOnceListener('end', () => point(`${what}: answered`));
    });
  }
  return addRequest.call(this, request, ...rest);
};

// QMP, and the agents of guests.
const { write } = net.Socket.prototype;
net.Socket.prototype.write = function (chunk, ...rest) {
  const command = typeof chunk === 'string' && /^\{"(?:execute|do)":"([^"]+)"/.exec(chunk)?.[1];
  // Repeated until there is an answer, without any effect.
  const isQuestion = !command || /^(query|qmp_capabilities|hello|ready)/.test(command);
  if (!isQuestion) point(`${command}: begins`);
  const result = write.call(this, chunk, ...rest);
  if (!isQuestion) point(`${command}: sent`);
  return result;
};

// The database. A key's last use and the audit log belong to no step.
const isOfStep = (sql) =>
  /^\s*(INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM)\s+(computers|projects|saved_disks|volumes|build_steps|build_projects)\b/i.test(
    sql,
  );
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
