import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Decoded frames of a stream: rows of red, green, blue. */
export interface Viewer {
  readonly pid: number;
  /** Number of frames so far. */
  readonly count: () => number;
  readonly last: () => Buffer | undefined;
  readonly log: () => string;
  close(): Promise<void>;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A free port of loopback. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** ffmpeg as a server for one publisher, or without `listen` as a viewer of a server or a file. */
export function openViewer(url: string, size: Size, options: { readonly listen: boolean }): Viewer {
  // Decode the frames that were probed from a file as well; of a live stream they are only late.
  const live = url.startsWith('rtmp:') ? ['-fflags', 'nobuffer'] : [];
  const input = [...(options.listen ? ['-listen', '1'] : []), ...live, '-i', url];
  const output = ['-an', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const child = spawn('ffmpeg', ['-nostdin', '-loglevel', 'error', ...input, ...output], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const bytes = size.width * size.height * 3;
  let frame: Buffer = Buffer.alloc(bytes);
  let filled = 0;
  let last: Buffer | undefined;
  let count = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.copy(frame, filled, at);
      filled += taken;
      at += taken;
      if (filled < bytes) continue;
      [last, frame] = [frame, last ?? Buffer.alloc(bytes)];
      filled = 0;
      count += 1;
    }
  });
  return {
    pid: child.pid ?? 0,
    count: () => count,
    last: () => last && Buffer.from(last),
    log: () => log,
    close: () => end(child),
  };
}

const MODULE = '/usr/lib/nginx/modules/ngx_rtmp_module.so';

/** nginx with its RTMP module, on loopback, in one process that a test may stop and kill. */
export interface RtmpServer {
  readonly port: number;
  readonly pid: () => number;
  start(): Promise<void>;
  kill(): Promise<void>;
}

export async function openRtmpServer(directory: string): Promise<RtmpServer> {
  if (!existsSync(MODULE)) throw new Error(`${MODULE} is missing; npm run test:all installs it`);
  const port = await freePort();
  const path = join(directory, 'nginx.conf');
  writeFileSync(
    path,
    `load_module ${MODULE};
daemon off; master_process off; user root; pid ${directory}/nginx.pid;
error_log ${directory}/nginx.log info;
events {}
rtmp { access_log off; server { listen 127.0.0.1:${port}; application live { live on; } } }
`,
  );
  let child: ChildProcess | undefined;
  const server: RtmpServer = {
    port,
    pid: () => child?.pid ?? 0,
    start: async () => {
      child = spawn('/usr/sbin/nginx', ['-p', directory, '-c', path], { stdio: 'ignore' });
      await sleep(200);
      if (child.exitCode !== null) throw new Error(`nginx did not start; see ${directory}`);
    },
    kill: async () => {
      if (child) await end(child);
    },
  };
  await server.start();
  return server;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
