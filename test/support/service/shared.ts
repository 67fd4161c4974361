import type { TestProject } from 'vitest/node';
import { type ServiceOptions, startService } from './service.js';

/** Starts the service that the files of a project share; returns a function that stops it. */
export async function provideSharedService(
  project: TestProject,
  options: ServiceOptions,
): Promise<() => Promise<void>> {
  const flags = ['--max-running', '100', '--allow-private-rtmp'];
  const { baseUrl, apiKey, logFile, close } = await startService({ ...options, flags });
  project.provide('sharedService', { baseUrl, apiKey, logFile });
  return close;
}
