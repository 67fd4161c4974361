import { readFile } from 'node:fs/promises';
import { containerRemoval } from '../containers/removal.js';
import type { EngineSetup, SetupStep } from '../descriptor.js';
import { inotifySteps, undoInotify } from './inotify.js';

/** The user whose ids Podman gives to containers, each a range of its own. */
const USER = 'containers';
/** Room for 7,629 containers, apart from the ids of users and of other engines' machines. */
const RANGE = `${USER}:1000000000:500000000`;
const FILES = ['/etc/subuid', '/etc/subgid'] as const;

/** The files without a range for containers. */
export async function filesWithoutRange(): Promise<string[]> {
  const texts = await Promise.all(FILES.map((path) => readFile(path, 'utf8').catch(() => '')));
  return FILES.filter(
    (_, at) => !texts[at]?.split('\n').some((line) => line.startsWith(`${USER}:`)),
  );
}

async function rangeSteps(): Promise<SetupStep[]> {
  return (await filesWithoutRange()).map((path) => ({
    title: `Adding ${RANGE} to ${path}: user ids for the containers`,
    // A constant script, without user input.
    argv: ['sh', '-c', `echo ${RANGE} >>${path}`],
  }));
}

/**
 * Whether mounts of this host are its own. A container's files are unmounted in another namespace, so
 * the host would keep the mounts and addresses of removed containers. systemd shares them.
 */
export async function hasPrivateMounts(): Promise<boolean> {
  return isRootPrivate(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''));
}

/** @param text as of `/proc/self/mountinfo` */
export function isRootPrivate(text: string): boolean {
  const root = text.split('\n').findLast((line) => line.split(' ')[4] === '/');
  return root !== undefined && !/ shared:\d/.test(root);
}

async function mountSteps(): Promise<SetupStep[]> {
  if (!(await hasPrivateMounts())) return [];
  const title = 'Sharing the mounts of this host with its namespaces, until the next boot';
  return [{ title, argv: ['mount', '--make-rshared', '/'] }];
}

const connect = async (stateDirectory: string) =>
  (await import('./client.js')).connectPodman(stateDirectory);

/** Removes our lines, as they were added; another range stays. */
async function undoRanges(): Promise<SetupStep[]> {
  const texts = await Promise.all(FILES.map((path) => readFile(path, 'utf8').catch(() => '')));
  return FILES.filter((_, at) => texts[at]?.split('\n').includes(RANGE)).map((path) => ({
    title: `Removing ${RANGE} from ${path}`,
    argv: ['sed', '-i', `/^${RANGE}$/d`, path],
  }));
}

export const podmanSetup: EngineSetup = {
  packages: [
    { sign: 'podman', name: 'podman', purpose: 'runs the computers' },
    { sign: ['runc', 'crun'], name: 'runc', purpose: 'starts their containers' },
    { sign: '/usr/lib/podman/netavark', name: 'netavark', purpose: 'their networks' },
    { sign: 'iptables', name: 'iptables', purpose: 'the rules of their networks' },
    { sign: 'catatonit', name: 'catatonit', purpose: 'the first process of a container' },
  ],
  needsRoot: true,
  removal: {
    ...containerRemoval(connect),
    steps: async () => [...(await undoRanges()), ...(await undoInotify())],
  },
  grants: async () => [],
  machineSteps: async () => [
    ...(await rangeSteps()),
    ...(await inotifySteps()),
    ...(await mountSteps()),
  ],
};
