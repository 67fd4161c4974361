import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Interrupts } from '../../../src/cli/framework/interrupts.js';
import { main } from '../../../src/cli/main.js';
import { type FakeService, startFakeService } from './fake-service.js';

export const API_KEY = 'vc_0123456789abcdefghjkmnpqrstvwxyz';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Content of stdin; what is typed if stdin is a terminal. */
  readonly stdin?: string;
  /** True if all streams are terminals. */
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly interrupts?: Interrupts;
  /** As in the client's options. */
  readonly checkAfterMs?: number;
  /** Called with all of stdout whenever there is more of it. */
  readonly onStdout?: (text: string) => void;
}

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stdoutBytes: Buffer;
  readonly stderr: string;
}

/** A fake service, a temporary directory and the command line, all in this process. */
export interface World {
  readonly service: FakeService;
  readonly directory: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Outcome>;
  close(): Promise<void>;
}

// Commands must not find the Docker Engine of the host.
process.env.DOCKER_HOST = 'unix:///nonexistent/docker.sock';

export async function openWorld(): Promise<World> {
  const service = await startFakeService();
  const directory = await mkdtemp(join(tmpdir(), 'vc-cli-'));
  return {
    service,
    directory,
    run: (argv, options) => run(argv, options, service, directory),
    close: async () => {
      await service.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function run(
  argv: readonly string[],
  options: RunOptions = {},
  service: FakeService,
  directory: string,
): Promise<Outcome> {
  const { terminal: isTTY = false, columns = 100 } = options;
  // A spinner that appears on a slow host moves the cursor.
  const moves = { cursorTo: () => true, moveCursor: () => true, clearLine: () => true };
  const open = () =>
    Object.assign(new PassThrough(), { isTTY, columns, setRawMode: () => {}, ...moves });
  const [stdin, stdout, stderr] = [open(), open(), open()];
  if (isTTY) stdin.write(options.stdin ?? '');
  else stdin.end(options.stdin ?? '');
  const outputs = [collect(stdout, options.onStdout), collect(stderr)] as const;
  const code = await main(argv, {
    io: { stdin, stdout, stderr },
    env: {
      VC_BASE_URL: service.baseUrl,
      VC_API_KEY: API_KEY,
      VC_CONFIG_DIR: join(directory, 'config'),
      HOME: directory,
      CI: '1',
      ...options.env,
    },
    cwd: directory,
    interrupts: options.interrupts ?? new Interrupts(),
    now: () => new Date('2025-01-02T03:04:05Z'),
    checkAfterMs: options.checkAfterMs,
  });
  stdout.end();
  stderr.end();
  const [stdoutBytes, stderrBytes] = await Promise.all(outputs);
  return { code, stdout: stdoutBytes.toString(), stdoutBytes, stderr: stderrBytes.toString() };
}

async function collect(stream: PassThrough, onMore?: (text: string) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    onMore?.(Buffer.concat(chunks).toString());
  }
  return Buffer.concat(chunks);
}

export const computer = {
  id: 'cmp_0123456789abcdefghjk',
  name: 'desktop',
  os: 'linux',
  ram: 2,
  cpu: 2,
  gpu: 'none',
  status: 'running',
  project_id: 'prj_0123456789abcdefghjk',
  project_name: 'demo',
  created_at: '2025-01-02T03:01:05.000Z',
  started_at: '2025-01-02T03:01:06.000Z',
  url: null,
  engine: 'docker',
  isolation: 'container',
  member: null,
  image: 'linux',
  resolution: { width: 1280, height: 800 },
  auto_stop_minutes: null,
  on_idle: 'stop',
  expires_at: null,
  labels: {},
  protected: false,
  env_names: ['API_URL', 'TOKEN'],
  timezone: null,
  locale: null,
  sudo: true,
  network: 'internet',
  created_by: null,
  control: null,
};

export const project = {
  id: 'prj_0123456789abcdefghjk',
  name: 'demo',
  user_id: 'usr_0123456789abcdefghjk',
  status: 'active',
  computer_count: 1,
  created_at: '2025-01-01T03:04:05.000Z',
  updated_at: '2025-01-01T03:04:05.000Z',
};
