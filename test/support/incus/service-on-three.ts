import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instanceName } from '../../../src/engines/incus/ids.js';
import type { Instance } from '../../../src/engines/incus/machine/instance.js';
import { type Json, openTestService, type TestService } from '../service/service.js';
import { buildClusterImage } from './image.js';
import { openThreeMembers, type ThreeMembers } from './three-members.js';

/** A service whose computers run on a cluster of three members. */
export interface ServiceOnThree {
  readonly cluster: ThreeMembers;
  readonly service: TestService;
  /** A directory for the test's own files. */
  readonly files: string;
  /** Creates a running computer in the project `demo` whose file `~/file` has its name. */
  create(name: string, member: string): Promise<string>;
  computer(id: string): Promise<Json>;
  bash(id: string, command: string): Promise<string>;
  /** As the operator sees it. */
  instance(id: string): Promise<Instance>;
  close(): Promise<void>;
}

/** `env` is that of the service, and is read at each of its starts. */
export async function openServiceOnThree(env: NodeJS.ProcessEnv = {}): Promise<ServiceOnThree> {
  const directory = mkdtempSync(join(tmpdir(), 'vc-three-'));
  const clusterState = join(directory, 'state');
  mkdirSync(clusterState);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  let cluster: ThreeMembers;
  try {
    cluster = await openThreeMembers(directory);
  } catch (error) {
    remove();
    throw error;
  }
  let service: TestService;
  try {
    await cluster.setUp(clusterState);
    await buildClusterImage(clusterState, (line) => console.log(line));
    service = await openTestService(['--max-running', '20'], { clusterState, env });
    await service.vc.projects.create('demo');
  } catch (error) {
    await cluster.close();
    remove();
    throw error;
  }
  const answer = (status: number, json: Json): Json => {
    if (status !== 200) throw new Error(JSON.stringify(json));
    return json;
  };
  const send = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const { status, json } = await service.http(method, path, body);
    return answer(status, json);
  };
  const bash = async (id: string, command: string): Promise<string> =>
    (await send('POST', `/computers/${id}/bash`, { command })).stdout;
  return {
    ...{ cluster, service, files: directory, bash },
    create: async (name, member) => {
      const { id } = await send('POST', '/projects/demo/computers', { name, member });
      await bash(id, `echo ${name} >~/file; sync`);
      return id;
    },
    computer: (id) => send('GET', `/computers/${id}`),
    instance: (id) => cluster.operator.ask(`/1.0/instances/${instanceName(id)}?project=vc`),
    close: async () => {
      await service.close().catch((error) => console.log(`closing: ${error}`));
      await cluster.close();
      remove();
    },
  };
}
