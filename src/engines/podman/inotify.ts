import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { CheckResult, SetupStep } from '../descriptor.js';

const SETTING = 'fs.inotify.max_user_instances';
const HOST_LIMIT = '/proc/sys/fs/inotify/max_user_instances';
/** Of the user namespace of who reads or writes it. */
const LIMIT = '/proc/sys/user/max_inotify_instances';
/** The kernel's default for one user. A desktop takes five. */
const USUAL = 128;
/** Of a container where the host allows {@link USUAL} only: a program that watches files takes one. */
const FEW = 48;
/** Enough on the host for hundreds of desktops. */
const ENOUGH = 8192;

/**
 * Limits the inotify instances of each user of a container. The kernel also counts those of all
 * containers as instances of root on the host: without a limit, one container could take all of them.
 */
export async function limitInotify(pid: number, signal: AbortSignal): Promise<void> {
  const limit = (await hostLimit()) < ENOUGH ? FEW : USUAL;
  const script = `echo ${limit} >${LIMIT}`;
  const words = ['-t', `${pid}`, '-U', 'sh', '-c', script];
  await promisify(execFile)('nsenter', words, { signal });
}

async function hostLimit(): Promise<number> {
  return Number(await readFile(HOST_LIMIT, 'utf8').catch(() => USUAL));
}

/** The file of our setting, and its content. */
const FILE = '/etc/sysctl.d/60-vc.conf';
const LINE = `${SETTING}=${ENOUGH}`;

/** Raises the host's limit, now and at each boot. */
export async function inotifySteps(): Promise<SetupStep[]> {
  if ((await hostLimit()) >= ENOUGH) return [];
  // In a container, the setting may be read-only: `vc doctor` then names it.
  const script = `echo ${LINE} >${FILE}; echo ${ENOUGH} >${HOST_LIMIT} || true`;
  return [
    {
      title: `Setting ${LINE}: inotify instances for the desktops`,
      argv: ['sh', '-c', script],
    },
  ];
}

/** Removes our setting; the limit falls at the next boot. */
export async function undoInotify(): Promise<SetupStep[]> {
  const text = await readFile(FILE, 'utf8').catch(() => '');
  if (text.trim() !== LINE) return [];
  return [{ title: `Removing ${FILE}: ${LINE}`, argv: ['rm', FILE] }];
}

export async function checkInotify(): Promise<CheckResult> {
  const limit = await hostLimit();
  if (limit >= ENOUGH) return { status: 'ok', detail: `${SETTING} is ${limit}` };
  const detail = `${SETTING} is ${limit}, and each desktop takes 5`;
  return { status: 'ok', detail, remedy: 'vc setup --engine podman' };
}
