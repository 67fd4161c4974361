import { afterAll, beforeAll, expect, test } from 'vitest';
import { listNames, type NameKind } from '../../../src/cli/completion/names.js';
import { createContext, createRuntime } from '../../../src/cli/framework/create-context.js';
import { readGlobals } from '../../../src/cli/framework/globals.js';
import { type FakeService, startFakeService } from '../support/fake-service.js';
import { API_KEY, computer, project } from '../support/run.js';

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
  service.on('GET /projects', { projects: [project] });
  service.on('GET /owners', { owners: [{ name: 'default' }, { name: 'alice' }] });
  service.on(`GET /projects/${project.id}/computers`, { computers: [computer] });
});
afterAll(() => service.close());

function names(kind: NameKind, options: Record<string, string> = {}): Promise<string[]> {
  const env = { VC_BASE_URL: service.baseUrl, VC_API_KEY: API_KEY, HOME: '/nonexistent' };
  const run = () => Promise.reject(new Error('not used'));
  return listNames(createContext(createRuntime({ env }), readGlobals(options), run), kind);
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
