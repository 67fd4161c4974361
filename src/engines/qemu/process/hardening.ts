/**
 * The first arguments of every machine's QEMU: no default configuration or devices, and a seccomp
 * filter under which it cannot execute programs, gain privileges or change scheduling.
 */
export const hardeningArguments: readonly string[] = [
  '-no-user-config',
  '-nodefaults',
  '-sandbox',
  'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny',
];
