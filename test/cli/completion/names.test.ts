// @module-tag slow
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listNames, namesGiven } from '../../../src/cli/completion/names.js';
import type { NameKind } from '../../../src/cli/completion/offer.js';
import { createContext, createRuntime } from '../../../src/cli/framework/create-context.js';
import { readGlobals } from '../../../src/cli/framework/globals.js';
import { type FakeService, startFakeService } from '../support/fake-service.js';
import { API_KEY, computer, project } from '../support/run.js';

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
  service.on('GET /projects', { projects: [project] });
  service.on('GET /owners', { owners: [{ name: 'default' }, { name: 'alice' }] });
  const members = [
    { name: 'node1', groups: ['default', 'fast'] },
    { name: 'node2', groups: ['default'] },
  ];
  service.on('GET /cluster/members', { members });
  service.on(`GET /projects/${project.id}/computers`, { computers: [computer] });
});
afterAll(() => service.close());

async function names(
  kind: NameKind,
  options: Record<string, string> = {},
  more: { args?: string[]; typed?: string } = {},
): Promise<string[]> {
  const env = { VC_BASE_URL: service.baseUrl, VC_API_KEY: API_KEY, HOME: '/nonexistent' };
  const run = () => Promise.reject(new Error('not used'));
  const context = createContext(createRuntime({ env }), readGlobals(options), run);
  const wanted = { kind, given: new Map(), args: [], typed: '', ...more };
  return (await listNames(context, wanted)).map(({ value }) => value);
}

test('names come from the service, computers by their status', async () => {
  expect(await names('computer')).toEqual(['demo/desktop']);
  expect(await names('running-computer')).toEqual(['demo/desktop']);
  expect(await names('stopped-computer')).toEqual([]);
  expect(await names('project')).toEqual(['demo']);
  expect(await names('owner')).toEqual(['default', 'alice']);
});

test('a computer in the preset project needs no project in its name', async () => {
  expect(await names('computer', { project: 'demo' })).toEqual(['desktop']);
  expect(await names('computer', { project: 'other' })).toEqual(['demo/desktop']);
});

test('jobs, images, engines and files come from the service', async () => {
  const at = '/projects/demo/computers/desktop';
  service.on(`GET ${at}/jobs`, {
    jobs: [
      { id: 'job_1', status: 'running', command: 'make all\nmake test' },
      { id: 'job_2', status: 'exited', command: 'true' },
    ],
  });
  service.on('GET /images', {
    images: [
      { name: 'linux', kind: 'recipe' },
      { name: 'linux', kind: 'recipe' },
      { name: 'linux-2', kind: 'template' },
    ],
    failures: [],
  });
  service.on('GET /health', { engines: [{ name: 'docker' }, { name: 'qemu' }] });
  service.handle(`GET ${at}/directory`, ({ url }, response) => {
    const path = new URL(url, 'http://x').searchParams.get('path');
    const entries = [
      { name: 'Documents', type: 'directory' },
      { name: 'Downloads', type: 'directory' },
      { name: 'Dear diary.txt', type: 'file' },
      { name: '.profile', type: 'file' },
    ];
    response.end(JSON.stringify({ path, entries: path === '.' ? entries : [entries[2]] }));
  });
  const args = ['demo/desktop'];
  expect(await names('job', {}, { args })).toEqual(['job_1', 'job_2']);
  expect(await names('running-job', {}, { args })).toEqual(['job_1']);
  expect(await names('image')).toEqual(['linux']);
  expect(await names('engine')).toEqual(['docker', 'qemu']);
  expect(await names('member')).toEqual(['node1', 'node2']);
  expect(await names('member-group')).toEqual(['default', 'fast']);
  expect(await names('computer-id')).toEqual([computer.id]);
  const paths = (typed: string) => names('remote-path', {}, { typed });
  expect(await paths('demo/desktop:')).toEqual([
    ...['demo/desktop:Documents/', 'demo/desktop:Downloads/', 'demo/desktop:Dear diary.txt'],
  ]);
  expect(await paths('demo/desktop:Do')).toEqual([
    ...['demo/desktop:Documents/', 'demo/desktop:Downloads/'],
  ]);
  expect(await paths('demo/desktop:.')).toEqual(['demo/desktop:.profile']);
  expect(await paths('demo/desktop:/srv/a/De')).toEqual(['demo/desktop:/srv/a/Dear diary.txt']);
  expect(await paths('demo/desktop:/srv/a/nope')).toEqual([]);
});

test.each([
  ['with a key', API_KEY],
  ['without one', ''],
])('a service that does not answer delays the shell by two seconds at most, %s', async (_, key) => {
  const silent = await startFakeService();
  silent.handleOthers(() => {});
  vi.stubEnv('VC_BASE_URL', silent.baseUrl);
  vi.stubEnv('VC_API_KEY', key);
  vi.stubEnv('VC_CONFIG_DIR', '/nonexistent');
  try {
    const wanted = { kind: 'job', given: new Map(), args: ['desk'], typed: '' } as const;
    await expect(namesGiven(wanted)).rejects.toThrow();
  } finally {
    vi.unstubAllEnvs();
    await silent.close();
  }
});
