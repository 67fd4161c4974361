import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { endpoints } from '../../../src/contract/operations.js';
import { isThorough } from '../../support/run/tiers.js';
import { readRequests, requestsFile } from '../../support/service/requests/requests.js';

interface Row {
  readonly method: string;
  readonly paths: readonly string[];
}

const { cdpVersion: _, mcp: __, ...rows } = endpoints;

/** Every row of the contract. */
const ROWS: Readonly<Record<string, Row>> = {
  ...rows,
  process: { method: 'WS', paths: endpoints.process.paths },
  tunnel: { method: 'WS', paths: endpoints.tunnel.paths },
  cdp: { method: 'WS', paths: endpoints.cdp.paths },
  wall: { method: 'WS', paths: endpoints.wall.paths },
  openapi: { method: 'GET', paths: ['/openapi.json'] },
};

/** Rows without a command, with the reason. */
const NOT_IN_CLI: Readonly<Record<string, string>> = {
  deleteProjectByPost: 'vc project rm sends DELETE, which does the same',
  listWorkspaces: 'an alias for older clients; vc project ls asks for projects',
  createComputerIn: 'vc create sends the project in the path',
  getImage: 'vc image ls shows the same',
  exec: 'vc python streams its input and output over the WebSocket process',
  removeEntry: 'vc exec PROJECT/NAME -- rm does the same',
  renameEntry: 'vc exec PROJECT/NAME -- mv does the same',
  cdp: 'vc computer cdp prints its address for other programs',
  listTrajectorySteps: 'for the web page; vc computer trajectory -o has all of them',
  getTrajectoryPicture: 'for the web page; vc computer trajectory -o has all of them',
  listRuns: 'for the web page; vc run asks it only to continue a report',
  getRun: 'for programs; the web page shows runs',
  getRunPicture: 'for the web page; vc run saves screenshots',
  thumbnail: 'for the web page; vc screenshot has --scale',
  wall: 'for the web page; vc ls --watch follows computers',
  getStatsHistory: 'for the web page; vc stats shows the present',
  listStatsHistory: 'for the web page; vc stats shows the present',
  createSession: 'for the web page',
  getSession: 'for the web page',
  endSession: 'for the web page',
  openapi: 'used by client generators',
};

/** Rows that only a command asks for, with the reason. */
const NOT_IN_HTTP: Readonly<Record<string, string>> = {
  listWorkspaces: 'an alias for older clients, with a unit test',
  buildImage:
    'its body is a tar; test/e2e/operations/image-build.test.ts sends it with vc image build',
};

/** Only a cluster supports these; asked in test/e2e/incus/members.test.ts. */
const ON_CLUSTERS = ['listMembers', 'getMember', 'drainMember', 'returnMember'] as const;

const OF_VOLUMES = ['listVolumes', 'createVolume', 'deleteVolume'];

/** Rows that an engine does not support; test/e2e/operations/surfaces.test.ts tests its error. */
const NOT_ON: Readonly<Record<string, readonly string[]>> = {
  docker: ON_CLUSTERS,
  // Chromium takes minutes to start in an emulated computer.
  // test/e2e/cli/runs.test.ts runs on Docker, and in the thorough tier on Podman.
  qemu: ['openBrowser', 'cdp', 'createRun', 'updateRunTask', ...ON_CLUSTERS, ...OF_VOLUMES],
};

const matches = (pattern: string, path: string) =>
  new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);

// Runs after the end-to-end tests of both engines; see vitest.config.ts.
it.each([
  ['docker', 'http'],
  ['docker', 'cli'],
  ['qemu', 'http'],
  // In a quick run the commands are sent to Docker only; the code is the same.
  ...(isThorough ? [['qemu', 'cli']] : []),
])('on %s, every row of the contract was answered with success over %s', (engine, surface) => {
  const answered = readRequests(engine).filter((request) => request.surface === surface);
  const missing = Object.entries(ROWS)
    .filter(([name]) => (surface === 'http' ? NOT_IN_HTTP : NOT_IN_CLI)[name] === undefined)
    .filter(([name]) => !NOT_ON[engine]?.includes(name))
    .filter(
      ([, { method, paths }]) =>
        !answered.some(
          (request) =>
            request.method === method && paths.some((path) => matches(path, request.path)),
        ),
    )
    .map(([name]) => name);
  expect(missing).toEqual([]);
});

// The tests on a cluster are skipped without LXD.
const onCluster = existsSync(requestsFile('incus')) ? readRequests('incus') : [];
it.skipIf(onCluster.length === 0)('on a cluster, its own rows were answered with success', () => {
  const missing = ON_CLUSTERS.filter((name) => {
    const { method, paths } = endpoints[name];
    return !onCluster.some(
      (request) => request.method === method && paths.some((path) => matches(path, request.path)),
    );
  });
  expect(missing).toEqual([]);
});
