import { access, constants, mkdir } from 'node:fs/promises';
import { Client } from '../../client/client.js';
import { serviceHealth } from '../serve/health.js';
import type { Check, Finding } from './check.js';
import { engineChecks } from './engine-checks.js';
import { dockerChecks, qemuChecks } from './host-checks.js';
import { findProgram, hasSubordinateIds } from './programs.js';

const ok = (detail: string): Finding => ({ status: 'ok', detail });
const missing = (detail: string, remedy: string): Finding => ({
  status: 'missing',
  detail,
  remedy,
});

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
      await mkdir(stateDirectory, { recursive: true, mode: 0o700 });
      await access(stateDirectory, constants.W_OK | constants.X_OK);
      return ok(stateDirectory);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      return missing(
        `${stateDirectory} cannot be written (${reason})`,
        'set VC_STATE_DIR to a directory that you may write',
      );
    }
  },
};

const service: Check = {
  name: 'service',
  title: 'Service',
  section: 'vc',
  needed: true,
  where: 'client',
  async run({ baseUrl, signal }) {
    const health = await serviceHealth(baseUrl, signal);
    if (health === undefined) {
      return missing(`nothing answers at ${baseUrl}`, 'vc serve --detach');
    }
    if (health.status === 'ok') return ok(`version ${health.version} at ${baseUrl}`);
    const reasons = health.engines.map(({ name, detail }) => `${name}: ${detail}`).join('; ');
    return missing(`the service at ${baseUrl} has no engine (${reasons})`, 'vc setup');
  },
};

const key: Check = {
  name: 'key',
  title: 'API key',
  section: 'vc',
  needed: true,
  where: 'client',
  async run({ baseUrl, apiKey, signal }) {
    const isUp = (await serviceHealth(baseUrl, signal)) !== undefined;
    if (!isUp) return { status: 'skipped', detail: 'the service does not answer' };
    if (apiKey === undefined) {
      return missing(
        `there is no key for ${baseUrl}`,
        `vc profile add default --base-url ${baseUrl}`,
      );
    }
    const client = new Client({ baseUrl, apiKey });
    try {
      await client.request('listProjects', { signal, timeoutMs: 10_000 });
      return ok('accepted');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return missing(reason, `vc profile add default --base-url ${baseUrl}`);
    } finally {
      await client.close();
    }
  },
};

/** Everything that `vc doctor` looks at, in the order in which it is to be mended. */
export const checks: readonly Check[] = [
  node,
  imageTools,
  ...engineChecks,
  state,
  service,
  key,
  ...dockerChecks,
  ...qemuChecks,
];
