import { access, constants } from 'node:fs/promises';
import { ApiError } from '../../contract/errors.js';
import { makeOwnDirectory } from '../../engines/local-host.js';
import { FIXED_VERSIONS, hasHashCollisions } from '../../lib/process/node-version.js';
import { type Check, missing, ok } from './check.js';
import { engineChecks, hostingChecks } from './engine-checks.js';
import { findProgram, hasSubordinateIds } from './programs.js';
import { serviceChecks } from './service-checks.js';

const LEAST_NODE = [20, 20] as const;

const node: Check = {
  name: 'node',
  title: 'Node.js',
  section: 'vc',
  needed: true,
  where: 'client',
  async run() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const [leastMajor, leastMinor] = LEAST_NODE;
    const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
    if (isEnough) return ok(process.version);
    return missing(
      `${process.version} is older than ${LEAST_NODE.join('.')}`,
      'install Node.js 22 from https://nodejs.org',
    );
  },
};

const nodeFaults: Check = {
  name: 'node-faults',
  title: 'Faults of Node.js',
  section: 'vc',
  needed: false,
  where: 'host',
  async run() {
    return missing(
      `with ${process.version} one request can stop a service for minutes (CVE-2026-21717)`,
      `install Node.js ${FIXED_VERSIONS}, or a later release of the same line, from https://nodejs.org`,
    );
  },
};

const imageTools: Check = {
  name: 'image-tools',
  title: 'Image tools',
  section: 'vc',
  needed: false,
  where: 'host',
  async run({ env, user }) {
    if (!(await findProgram('mmdebstrap', env))) {
      return missing('mmdebstrap, which builds images, is not installed', 'vc setup');
    }
    if (user.isRoot) return ok('mmdebstrap');
    if (!(await findProgram('newuidmap', env))) {
      return missing(
        'newuidmap, which an ordinary user needs to build images, is missing',
        'vc setup',
      );
    }
    const ranges = [
      await hasSubordinateIds(user.name, '/etc/subuid'),
      await hasSubordinateIds(user.name, '/etc/subgid'),
    ];
    if (ranges.every(Boolean)) return ok('mmdebstrap, newuidmap, subordinate ids');
    return missing(`${user.name} has no range in /etc/subuid and /etc/subgid`, 'vc setup');
  },
};

const state: Check = {
  name: 'state',
  title: 'State directory',
  section: 'vc',
  needed: true,
  where: 'host',
  async run({ stateDirectory }) {
    try {
      makeOwnDirectory(stateDirectory);
      await access(stateDirectory, constants.W_OK | constants.X_OK);
      return ok(stateDirectory);
    } catch (error) {
      if (error instanceof ApiError) return missing(error.message, error.remedy ?? '');
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return missing(
        `${stateDirectory} cannot be written (${reason})`,
        'set VC_STATE_DIR to a directory that you may write',
      );
    }
  },
};

/** A program that the service uses if it is there. */
const optionalProgram = (name: string, without: string): Check => ({
  name,
  title: name,
  section: 'vc',
  needed: false,
  where: 'host',
  async run({ env }) {
    const path = await findProgram(name, env);
    return path === undefined ? missing(without, 'vc setup') : ok(path);
  },
});

const programs = [
  optionalProgram('ffmpeg', 'without it no screen can be streamed or recorded'),
  optionalProgram('tesseract', 'without it no text on a screen can be read'),
];

/** Everything that `vc doctor` looks at, in the order in which to fix it. */
export async function allChecks(): Promise<Check[]> {
  const faults = hasHashCollisions(process.version) ? [nodeFaults] : [];
  const vc = [node, ...faults, imageTools, ...hostingChecks, state, ...programs, ...serviceChecks];
  return [...vc, ...(await engineChecks())];
}
