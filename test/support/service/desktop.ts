import { randomBytes } from 'node:crypto';
import type { ComputerHandle } from '../../../src/client/computer/computer.js';
import { eventually } from '../eventually.js';
import {
  connectSharedService,
  openTestService,
  type ServiceClient,
  type ServiceOptions,
  type TestService,
} from './service.js';

/** Milliseconds between questions: those of a wait of minutes would keep a processor busy. */
const PAUSE_MS = 100;

/**
 * Waits until a computer runs; fails if it cannot. A request waits at most a minute, but an emulated
 * machine on a busy host may boot longer.
 */
export async function untilRunning(
  service: Pick<ServiceClient, 'http'>,
  id: string,
  ms = 600_000,
): Promise<void> {
  await eventually(
    async () => {
      const { status: code, json } = await service.http('GET', `/computers/${id}`);
      // Of a computer that could not be created, it would be asked for ten minutes.
      if (code === 404 || json.status === 'error') {
        throw new Error(`no computer ${id}: ${json.status_reason ?? json.error}`);
      }
      return json.status === 'running';
    },
    ms,
    PAUSE_MS,
  );
}

/** A running computer `desktop` in its own project. */
export interface Desktop<Service extends ServiceClient = ServiceClient> {
  readonly service: Service;
  readonly project: string;
  /** `PROJECT/desktop`, for the command line. */
  readonly name: string;
  readonly id: string;
  readonly computer: ComputerHandle;
  /** Runs a command in the computer and returns its output; fails if the command fails. */
  run(command: string): Promise<string>;
  /** Waits until the command succeeds. */
  until(command: string): Promise<void>;
  close(): Promise<void>;
}

export type OwnDesktop = Desktop<TestService>;

/** A desktop on the service that all files of a vitest project share. */
export async function openDesktop(): Promise<Desktop> {
  const service = connectSharedService();
  const project = `e2e-${randomBytes(4).toString('hex')}`;
  return makeDesktop(service, project, async () => {
    await service.vc.projects.delete(project);
    await service.close();
  });
}

/** A desktop in project `e2e` on a separate service, which the test may stop. */
export async function openOwnDesktop(
  flags: readonly string[] = [],
  options: Partial<ServiceOptions> = {},
): Promise<OwnDesktop> {
  const service = await openTestService(flags, options);
  return makeDesktop(service, 'e2e', service.close);
}

async function makeDesktop<Service extends ServiceClient>(
  service: Service,
  project: string,
  close: () => Promise<void>,
): Promise<Desktop<Service>> {
  const id = await createDesktop(service, project).catch(async (error) => {
    await close().catch(() => undefined);
    throw error;
  });
  const run = async (command: string) => {
    const { json } = await service.http('POST', `/computers/${id}/bash`, { command });
    if (json.exit_code !== 0) throw new Error(`${command}: ${JSON.stringify(json)}`);
    return json.stdout as string;
  };
  return {
    ...{ service, project, id, run, close },
    name: `${project}/desktop`,
    computer: service.vc.computer({ id }),
    until: async (command) => {
      await run(`for i in $(seq 600); do ${command} && exit 0; sleep 0.05; done; exit 1`);
    },
  };
}

async function createDesktop(service: ServiceClient, project: string): Promise<string> {
  await service.vc.projects.create(project);
  const { status, json } = await service.http('POST', `/projects/${project}/computers`, {
    name: 'desktop',
  });
  if (status !== 200) throw new Error(`no computer: ${JSON.stringify(json)}`);
  await untilRunning(service, json.id);
  return json.id;
}
