// An engine in a process of its own, which a test can kill. Each line of its input is a call, each line of
// its output the answer. The arguments are the engine's name, a state directory and the id of the service.
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type Docker from 'dockerode';
import { dialectOf } from '../../../src/engines/containers/dialect.js';
import { createContainerEngine } from '../../../src/engines/containers/engine.js';
import { LABEL } from '../../../src/engines/containers/ids.js';
import { listContainers } from '../../../src/engines/containers/requests.js';
import { connectDocker } from '../../../src/engines/docker/client.js';
import { connectPodman } from '../../../src/engines/podman/client.js';

const [name = '', state = '', serviceId = ''] = process.argv.slice(2);
const docker: Docker = name === 'podman' ? connectPodman(state) : connectDocker();
const engine = createContainerEngine({
  docker,
  serviceId,
  directory: `${state}/machines`,
  allowSudo: true,
  internet: true,
  allowNetworks: [],
  networks: () => new Map(),
  onProblem: (problem) => process.stderr.write(`${problem}\n`),
});

const watching = new AbortController();

/** Further calls of tests. */
const others = {
  /** Starts the engine's own clean-up. */
  watch: async () => {
    void (async () => {
      for await (const _ of engine.watch(watching.signal));
    })().catch(() => undefined);
  },
  /** Runs a script in a machine, and returns its output. */
  exec: async (id: string, user: string, script: string) => {
    const options = { AttachStdout: true, AttachStderr: true, User: user, Tty: true };
    const exec = await docker
      .getContainer(`vc-${id}`)
      .exec({ Cmd: ['sh', '-c', script], ...options });
    return (await text(await exec.start({ Tty: true }))).replaceAll('\r\n', '\n');
  },
  inspect: (id: string) => docker.getContainer(`vc-${id}`).inspect(),
  /** Tags of the images of this service; the id of one without a tag. */
  tags: async () =>
    (await docker.listImages())
      .filter(({ Labels }) => Labels?.[LABEL.service] === serviceId)
      .flatMap(({ RepoTags, Id }) => (RepoTags?.length ? RepoTags : [Id])),
  containers: async () =>
    (await listContainers(docker, {}))
      .filter(({ Labels }) => Labels[LABEL.service] === serviceId)
      .map(({ Names, State }) => `${Names[0]} ${State}`),
};

type Call = (...values: readonly unknown[]) => Promise<unknown>;
const calls = { ...engine, ...others } as unknown as Readonly<Record<string, Call>>;

for await (const line of createInterface({ input: process.stdin })) {
  const { id, call, values } = JSON.parse(line);
  const answer = (body: object) => process.stdout.write(`${JSON.stringify({ id, ...body })}\n`);
  const ready = dialectOf(docker).ready?.() ?? Promise.resolve();
  const answered = ready.then(() => calls[call]?.(...values));
  answered.then(
    (value) => answer({ value }),
    ({ code, message }) => answer({ error: { code, message } }),
  );
}
watching.abort();
await engine.close?.();
process.exit();
