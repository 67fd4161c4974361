import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program to its end; rejects if it fails. */
export async function run([program, ...args], variables = {}) {
  const env = { ...process.env, ...variables };
  await promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 * 1024 });
}
