/**
 * What every machine's QEMU is started with, before anything else: no configuration or device that
 * was not asked for, and a filter of system calls under which it can start no program, gain no
 * privilege and change no process's priority or place.
 */
export const hardeningArguments: readonly string[] = [
  '-no-user-config',
  '-nodefaults',
  '-sandbox',
  'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny',
];
