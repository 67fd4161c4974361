import { access } from 'node:fs/promises';
import { userInfo } from 'node:os';
import type { Environment } from '../../profile/index.js';
import { findProgram, hasSubordinateIds } from '../doctor/programs.js';
import type { EngineName } from '../engine-choice.js';
import { dockerSocket, pingDocker } from './docker-ping.js';
import { missingPackages } from './packages.js';

/** A command of the set-up, run as root. */
export interface Step {
  readonly title: string;
  readonly argv: readonly [string, ...string[]];
}

/** What is to be done here, found out without changing anything. */
export interface SetupPlan {
  readonly engine: EngineName;
  readonly packages: readonly { readonly name: string; readonly purpose: string }[];
  readonly install: readonly Step[];
  /** True when Docker is to be used and no Engine answers; how it is started depends on the machine. */
  readonly startsDocker: boolean;
  /** After the packages are there. */
  readonly grant: readonly Step[];
  /** The ordinary user that they are for. */
  readonly user: string | undefined;
}

const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'] as const;

export async function planSetup(engine: EngineName, env: Environment): Promise<SetupPlan> {
  const packages = await missingPackages(engine, env);
  const names = packages.map(({ name }) => name);
  const install: Step[] =
    packages.length === 0
      ? []
      : [
          { title: 'Reading the package lists', argv: [...apt, 'update'] },
          {
            title: `Installing ${names.join(', ')}`,
            argv: [...apt, 'install', '-y', '--no-install-recommends', ...names],
          },
        ];
  const user = ordinaryUser(env);
  const socket = engine === 'docker' ? dockerSocket(env) : undefined;
  const startsDocker = socket !== undefined && (await pingDocker(socket)) === 'silent';
  const grant = user === undefined ? [] : await grants(engine, user);
  return { engine, packages, install, startsDocker, grant, user };
}

/** True when there is nothing to do. */
export function isComplete({ install, startsDocker, grant }: SetupPlan): boolean {
  return install.length === 0 && grant.length === 0 && !startsDocker;
}

/** Who is to use the engine: the one who called, also through sudo. */
function ordinaryUser(env: Environment): string | undefined {
  const { uid, username } = userInfo();
  if (uid !== 0) return username;
  const caller = env.SUDO_USER;
  return caller && caller !== 'root' && /^[a-z_][a-z0-9_.-]*\$?$/i.test(caller)
    ? caller
    : undefined;
}

async function grants(engine: EngineName, user: string): Promise<Step[]> {
  const steps: Step[] = [];
  if (engine === 'qemu' && (await hasKvm()) && !(await isInGroup(user, 'kvm'))) {
    steps.push({
      title: `Letting ${user} use KVM, which makes virtual machines fast`,
      argv: ['usermod', '-aG', 'kvm', user],
    });
  }
  if (engine === 'docker' && !(await isInGroup(user, 'docker'))) {
    steps.push({
      title: `Letting ${user} use Docker, which is as good as root on this machine`,
      argv: ['usermod', '-aG', 'docker', user],
    });
  }
  const hasRanges =
    (await hasSubordinateIds(user, '/etc/subuid')) &&
    (await hasSubordinateIds(user, '/etc/subgid'));
  if (!hasRanges) {
    steps.push({
      title: `Giving ${user} subordinate ids, which building an image needs`,
      argv: [
        'usermod',
        ...['--add-subuids', '100000-165535', '--add-subgids', '100000-165535', user],
      ],
    });
  }
  return steps;
}

async function hasKvm(): Promise<boolean> {
  return access('/dev/kvm').then(
    () => true,
    () => false,
  );
}

async function isInGroup(user: string, group: string): Promise<boolean> {
  const { readFile } = await import('node:fs/promises');
  const line = (await readFile('/etc/group', 'utf8').catch(() => ''))
    .split('\n')
    .find((entry) => entry.startsWith(`${group}:`));
  return line?.split(':')[3]?.split(',').includes(user) ?? false;
}

/** How commands become root's: as they are, through sudo, or not at all. */
export async function rootPrefix(env: Environment): Promise<readonly string[] | undefined> {
  if (userInfo().uid === 0) return [];
  return (await findProgram('sudo', env)) === undefined ? undefined : ['sudo'];
}

/** Debian, Ubuntu and what is made of them. */
export async function hasApt(env: Environment): Promise<boolean> {
  return (await findProgram('apt-get', env)) !== undefined;
}

/** True where systemd is the init of this machine. */
export async function runsSystemd(): Promise<boolean> {
  return access('/run/systemd/system').then(
    () => true,
    () => false,
  );
}
