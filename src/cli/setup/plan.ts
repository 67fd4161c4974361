import { userInfo } from 'node:os';
import type {
  EngineDescriptor,
  EngineSetup,
  SetupPackage,
  SetupStep,
} from '../../engines/descriptor.js';
import { canAccess } from '../../lib/fs/access.js';
import { type Environment, stateDirectory } from '../../profile/index.js';
import { findProgram, freeSubordinateIds, hasSubordinateIds } from '../doctor/programs.js';

/** The steps that this machine still needs. Planning changes nothing. */
export interface SetupPlan {
  readonly engine: EngineDescriptor;
  readonly packages: readonly { readonly name: string; readonly purpose: string }[];
  /** Installs what builds images. */
  readonly installFirst: readonly SetupStep[];
  readonly install: readonly SetupStep[];
  /** The engine's daemon has to be started; how depends on the machine. */
  readonly startsDaemon: boolean;
  /** The engine has to be prepared, once its daemon runs. */
  readonly configures: boolean;
  /** After the packages are installed. */
  readonly grant: readonly SetupStep[];
  /** The ordinary user who gets access. */
  readonly user: string | undefined;
}

const apt = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'] as const;

export async function planSetup(engine: EngineDescriptor, env: Environment): Promise<SetupPlan> {
  const setup = await engine.setup();
  const forImages = await missingPackages(imagePackages, env);
  const others = await missingPackages([...setup.packages, ...commonPackages], env);
  const packages = [...forImages, ...others];
  const update: SetupStep = { title: 'Reading the package lists', argv: [...apt, 'update'] };
  const installFirst = [...(packages.length > 0 ? [update] : []), ...installing(forImages)];
  const install = installing(others);
  const user = ordinaryUser(env);
  const startsDaemon = setup.daemon !== undefined && !(await setup.daemon.isRunning(env));
  const grant = [
    ...((await setup.machineSteps?.()) ?? []),
    ...(user === undefined ? [] : await grants(setup, user)),
  ];
  const { configuration } = setup;
  const configures =
    configuration !== undefined && !(await configuration.isDone(stateDirectory(env)));
  return { engine, packages, installFirst, install, startsDaemon, configures, grant, user };
}

function installing(packages: readonly SetupPackage[]): SetupStep[] {
  if (packages.length === 0) return [];
  const names = packages.map(({ name }) => name);
  const argv = [...apt, 'install', '-y', '--no-install-recommends', ...names] as const;
  return [{ title: `Installing ${names.join(', ')}`, argv }];
}

/** True when there is nothing to do. */
export function isComplete({ packages, startsDaemon, configures, grant }: SetupPlan): boolean {
  return packages.length === 0 && grant.length === 0 && !startsDaemon && !configures;
}

/** The caller, also through sudo; undefined for root itself. */
function ordinaryUser(env: Environment): string | undefined {
  const { uid, username } = userInfo();
  if (uid !== 0) return username;
  const caller = env.SUDO_USER;
  return caller && caller !== 'root' && /^[a-z_][a-z0-9_.-]*\$?$/i.test(caller)
    ? caller
    : undefined;
}

async function grants(setup: EngineSetup, user: string): Promise<SetupStep[]> {
  const steps = [...(await setup.grants(user))];
  const hasRanges =
    (await hasSubordinateIds(user, '/etc/subuid')) &&
    (await hasSubordinateIds(user, '/etc/subgid'));
  if (!hasRanges) {
    const range = await freeSubordinateIds();
    steps.push({
      title: `Giving ${user} subordinate ids, for building images`,
      argv: ['usermod', '--add-subuids', range, '--add-subgids', range, user],
      ids: range,
    });
  }
  return steps;
}

/** The prefix that runs a command as root; undefined if there is none. */
export async function rootPrefix(env: Environment): Promise<readonly string[] | undefined> {
  if (userInfo().uid === 0) return [];
  return (await findProgram('sudo', env)) === undefined ? undefined : ['sudo'];
}

/** True on Debian, Ubuntu and their derivatives. */
export async function hasApt(env: Environment): Promise<boolean> {
  return (await findProgram('apt-get', env)) !== undefined;
}

/** Packages that build images, for any engine. Installed first: an image takes longer than the others. */
export const imagePackages: readonly SetupPackage[] = [
  { sign: 'mmdebstrap', name: 'mmdebstrap', purpose: 'builds the image' },
  { sign: 'newuidmap', name: 'uidmap', purpose: 'builds the image as an ordinary user' },
];

/** Other packages that every host needs, for any engine. */
export const commonPackages: readonly SetupPackage[] = [
  { sign: 'ffmpeg', name: 'ffmpeg', purpose: 'streams and records screens' },
  { sign: 'tesseract', name: 'tesseract-ocr', purpose: 'reads text on screens' },
];

export async function missingPackages(
  needed: readonly SetupPackage[],
  env: Environment,
): Promise<SetupPackage[]> {
  const found = await Promise.all(needed.map(({ sign }) => hasSign(sign, env)));
  return needed.filter((_, index) => !found[index]);
}

async function hasSign(sign: SetupPackage['sign'], env: Environment): Promise<boolean> {
  const present = [sign]
    .flat()
    .map(async (each) =>
      each.startsWith('/') ? canAccess(each) : (await findProgram(each, env)) !== undefined,
    );
  return (await Promise.all(present)).includes(true);
}
