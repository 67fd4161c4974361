import { isComputerId } from '../targets/computer-address.js';
import { HOST_SUFFIX } from './options.js';

/** The host names of computers, for help and errors. */
export const HOSTS = `NAME${HOST_SUFFIX}, NAME.PROJECT${HOST_SUFFIX} or ID${HOST_SUFFIX}`;

/**
 * The computer of a host name `NAME.vc`, `NAME.PROJECT.vc` or `ID.vc`, as other commands take it:
 * programs such as scp do not take a host with a slash. A project has no dot in its name. Undefined
 * for another host name.
 */
export function computerOfHost(host: string): string | undefined {
  if (!host.endsWith(HOST_SUFFIX) || host.includes('/')) return undefined;
  const text = host.slice(0, -HOST_SUFFIX.length);
  const dot = text.lastIndexOf('.');
  if (text === '' || dot === 0 || dot === text.length - 1) return undefined;
  return dot < 0 || isComputerId(text) ? text : `${text.slice(dot + 1)}/${text.slice(0, dot)}`;
}
