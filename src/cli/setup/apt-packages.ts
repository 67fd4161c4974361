import type { SetupPackage } from '../../engines/descriptor.js';
import { canAccess } from '../../lib/fs/access.js';
import type { Environment } from '../../profile/index.js';
import { findProgram } from '../doctor/programs.js';

/** Packages that every host needs, for any engine. */
export const commonPackages: readonly SetupPackage[] = [
  { sign: 'mmdebstrap', name: 'mmdebstrap', purpose: 'builds the image' },
  { sign: 'newuidmap', name: 'uidmap', purpose: 'builds the image as an ordinary user' },
  { sign: 'ffmpeg', name: 'ffmpeg', purpose: 'streams and records screens' },
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
