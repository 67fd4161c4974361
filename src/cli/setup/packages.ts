import type { Environment } from '../../profile/index.js';
import { findProgram } from '../doctor/programs.js';

interface Need {
  /** Program that shows that the package, or another that does the same, is there. */
  readonly program: string;
  /** Debian's and Ubuntu's name of the package. */
  readonly name: string;
  readonly purpose: string;
}

/** What a host needs; each only for what its program is for. */
export const needs: readonly Need[] = [
  { program: 'dockerd', name: 'docker.io', purpose: 'runs the computers' },
  { program: 'iptables', name: 'iptables', purpose: "Docker's networks" },
  { program: 'mmdebstrap', name: 'mmdebstrap', purpose: 'builds the image' },
  { program: 'newuidmap', name: 'uidmap', purpose: 'builds the image as an ordinary user' },
];

/** The packages that are missing here. */
export async function missingPackages(env: Environment): Promise<Need[]> {
  const found = await Promise.all(needs.map(({ program }) => findProgram(program, env)));
  return needs.filter((_, index) => found[index] === undefined);
}
