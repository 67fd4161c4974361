import type { TestProject } from 'vitest/node';
import { freePort } from '../screen/ingest.js';
import { type ServiceOptions, startService } from './service.js';

/** Starts the service that the files of a project share; returns a function that stops it. */
export async function provideSharedService(
  project: TestProject,
  options: ServiceOptions,
): Promise<() => Promise<void>> {
  // Of a page, for a test that serves one.
  const pageOrigin = `http://127.0.0.1:${await freePort()}`;
  const flags = ['--max-running', '100', '--allow-private-targets', '--allow-origin', pageOrigin];
  const { baseUrl, apiKey, logFile, close } = await startService({ ...options, flags });
  project.provide('sharedService', { baseUrl, apiKey, logFile, pageOrigin });
  return close;
}
