import { DEFAULT_BASE_URL } from '../../contract/constants.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { sameBaseUrl } from '../../profile/index.js';
import { openPooledClient } from '../http/pooled-client.js';
import { size } from '../output/size.js';
import { healthInDetail, serviceHealth } from '../serve/health.js';
import { isLoopbackUrl } from '../serve/listen.js';
import { adminSocket, unadoptedOfService } from '../serve/local-service.js';
import { describeMetrics, readMetrics } from '../serve/metrics.js';
import { describeSilence } from '../service/silence.js';
import { type Check, missing, ok } from './check.js';

const SILENT = { status: 'skipped', detail: 'the service does not answer' } as const;

/** The command that starts a service at the address; on another machine it has to be run there. */
function startCommand(baseUrl: string): string {
  const isDefault = sameBaseUrl(baseUrl, DEFAULT_BASE_URL) || !isLoopbackUrl(baseUrl);
  return isDefault ? 'vc serve --detach' : `vc serve --detach --listen ${new URL(baseUrl).host}`;
}

const service: Check = {
  name: 'service',
  title: 'Service',
  section: 'vc',
  needed: true,
  where: 'client',
  async run({ env, baseUrl, apiKey, socketPath, ca, signal }) {
    const health = await healthInDetail({ baseUrl, apiKey, socketPath, ca }, signal);
    if (health === 'silent') {
      const { message, remedy } = await describeSilence(baseUrl, env);
      return missing(message, remedy);
    }
    if (health === undefined) {
      return missing(`nothing answers at ${baseUrl}`, startCommand(baseUrl));
    }
    if (health.engines.some(({ usable }) => usable)) {
      return ok(
        health.version === '' ? `at ${baseUrl}` : `version ${health.version} at ${baseUrl}`,
      );
    }
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
  async run({ baseUrl, apiKey, socketPath, ca, signal }) {
    const isUp = (await serviceHealth(baseUrl, signal, { ca })) !== undefined;
    if (!isUp) return { status: 'skipped', detail: 'the service does not answer' };
    if (apiKey === undefined) {
      return missing(`there is no key for ${baseUrl}`, `vc login --base-url ${baseUrl}`);
    }
    const client = openPooledClient({ baseUrl, apiKey, socketPath, ca });
    try {
      await client.request('listProjects', { signal, timeoutMs: 10_000 });
      return ok('accepted');
    } catch (error) {
      const reason = errorMessage(error);
      return missing(reason, `vc login --base-url ${baseUrl}`);
    } finally {
      await client.close();
    }
  },
};

const store: Check = {
  name: 'store',
  title: "Service's state",
  section: 'vc',
  needed: true,
  where: 'client',
  async run({ baseUrl, apiKey, socketPath, ca, signal }) {
    const health = await healthInDetail({ baseUrl, apiKey, socketPath, ca }, signal);
    if (typeof health !== 'object') return SILENT;
    if (health.store.usable) return ok(health.store.detail);
    return missing(health.store.detail, 'make room where "vc serve --state" points to');
  },
};

/** Share of an owner's storage above which a snapshot or build may soon be refused. */
const NEARLY_FULL = 0.9;

const storage: Check = {
  name: 'storage',
  title: 'Storage',
  section: 'vc',
  needed: false,
  where: 'client',
  async run({ baseUrl, apiKey, socketPath, ca, signal }) {
    if (apiKey === undefined || (await serviceHealth(baseUrl, signal, { ca })) === undefined)
      return SILENT;
    const client = openPooledClient({ baseUrl, apiKey, socketPath, ca });
    try {
      const query = { days: 1 };
      const { limits, now } = await client.request('getUsage', { query, signal });
      const detail = `snapshots, images and volumes take ${size(now.storage_bytes)} of ${limits.max_storage} GB`;
      if (now.storage_bytes < limits.max_storage * 1e9 * NEARLY_FULL) return ok(detail);
      return missing(detail, 'remove some: vc image ls, vc snapshot ls COMPUTER');
    } finally {
      await client.close();
    }
  },
};

const activity: Check = {
  name: 'activity',
  title: 'Activity',
  section: 'vc',
  needed: false,
  where: 'client',
  async run({ baseUrl, apiKey, socketPath, ca, signal }) {
    if ((await serviceHealth(baseUrl, signal, { ca })) === undefined) return SILENT;
    const metrics = await readMetrics({ baseUrl, apiKey, socketPath, ca }, signal);
    if (metrics === undefined) {
      const detail = 'not served to this API key; administrators see them with: vc serve --metrics';
      return { status: 'skipped', detail };
    }
    return ok(describeMetrics(metrics));
  },
};

const machines: Check = {
  name: 'machines',
  title: 'Unknown machines',
  section: 'vc',
  needed: false,
  where: 'host',
  async run({ stateDirectory, signal }) {
    const found = await unadoptedOfService(adminSocket(stateDirectory), signal);
    if (found === undefined) return SILENT;
    if (found === null) return { status: 'skipped', detail: 'only for a cluster' };
    if (found.length === 0) return ok('none');
    const lines = found.map(({ engine, id, reason }) => `${id} on ${engine}: ${reason}`);
    const detail = `no computer owns ${lines.join('; ')}`;
    return missing(
      detail,
      'remove them from the engine, or restore a backup that has their owners',
    );
  },
};

/** The state that the service reports. */
export const serviceChecks: readonly Check[] = [service, key, store, storage, machines, activity];
