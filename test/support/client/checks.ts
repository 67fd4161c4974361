import type * as package_ from '../../../src/client/index.js';

/** The package as a program gets it: its exports, and nothing of Node.js. */
export type ClientPackage = typeof package_;

export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Id of a running computer. */
  readonly id: string;
}

type Checks = Readonly<
  Record<string, (desk: package_.ComputerHandle, vc: package_.VirtualComputers) => Promise<void>>
>;

/**
 * Checks of the package's interface with a real computer. They run in Node.js and in a page, so they
 * use what both have.
 */
export function clientChecks(client: ClientPackage, target: Target) {
  const checks = checksOf(client, target);
  const { id, ...options } = target;
  const vc = new client.VirtualComputers({ ...options, maxRetries: 0 });
  const run = async (name: string) => {
    const check = checks[name];
    if (check === undefined) throw new Error(`there is no check ${name}`);
    await check(vc.computer({ id }), vc);
  };
  return { names: Object.keys(checks), run, close: () => vc.close() };
}

function equal(actual: unknown, expected: unknown): void {
  const [is, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== wanted) throw new Error(`is ${is}, not ${wanted}`);
}

/** Rejects unless `work` does, with an error that has these properties. */
async function fails(work: Promise<unknown>, properties: Record<string, unknown>): Promise<void> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure as Record<string, unknown>,
  );
  if (error === undefined) throw new Error('it did not fail');
  equal(Object.fromEntries(Object.keys(properties).map((key) => [key, error[key]])), properties);
}

/** `count` mebibytes of a pattern. */
function mebibytes(count: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(count * 1024 * 1024).map((_, at) => (at * 31) % 251);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function checksOf({ ServiceError, VirtualComputers }: ClientPackage, target: Target): Checks {
  return {
    'requests and errors': async (desk, vc) => {
      equal((await desk.get()).status, 'running');
      equal((await vc.me()).running > 0, true);
      equal(desk.id, target.id);
      await fails(vc.computers.get({ id: 'cmp_0' }), { name: 'ServiceError', status: 404 });
      const error = await desk.click(9999, 1).catch((failure: unknown) => failure);
      if (!(error instanceof ServiceError)) throw new Error(`no ServiceError: ${error}`);
      // Headers that a page may read only because the service says so.
      equal([error.code, error.requestId?.startsWith('req_')], ['off_screen', true]);
      equal(typeof error.remedy, 'string');
      const stranger = new VirtualComputers({ ...target, apiKey: 'vc_wrong' });
      await fails(stranger.projects.list(), { code: 'unauthorized', status: 401 });
    },
    'screen and input': async (desk) => {
      equal(await desk.click(640, 400, { settle: true }).then(({ settled }) => settled), true);
      const png = await desk.screenshot({ scale: 0.25 });
      equal([...png.subarray(0, 4)], [137, 80, 78, 71]);
      await desk.setClipboard('héllo 牛');
      equal(await desk.clipboard(), 'héllo 牛');
      const batch = await desk.batch([
        { action: 'move', x: 1, y: 1 },
        { action: 'wait', seconds: 0 },
      ]);
      equal(batch.success, true);
    },
    'files of every kind of data': async (desk) => {
      const bytes = mebibytes(1);
      const stream = () => new Blob([bytes]).stream();
      for (const data of [bytes, new Blob([bytes]), stream(), bytes.buffer]) {
        await desk.files.write('client.bin', data);
        const { stdout } = await desk.bash('stat -c %s client.bin', { check: true });
        equal(stdout.trim(), String(bytes.length));
      }
      await fails(desk.files.write('client.bin', stream(), { size: 5 }), { name: 'RangeError' });
      const back = await desk.files.read('client.bin', { start: 100_000, end: 100_010 });
      equal([...back], [...bytes.subarray(100_000, 100_010)]);
      const file = await desk.files.open('client.bin');
      equal(
        [file.size, (await new Response(file.stream).arrayBuffer()).byteLength],
        [...[bytes.length, bytes.length]],
      );
      await desk.files.write('client.txt', 'äöü');
      equal(await desk.files.readText('client.txt'), 'äöü');
      equal(await desk.files.exists('client.none'), false);
      // Larger than what the connection holds, and refused before it is sent.
      const large = new Blob([mebibytes(4)]).stream();
      await fails(desk.files.write('/nowhere/x', large), { code: 'not_found', status: 404 });
    },
    'commands with their streams': async (desk) => {
      let text = '';
      const onStdout = (part: string) => {
        text += part;
      };
      const result = await desk.run('cat; echo oops >&2; exit 3', { stdin: 'ünï\n', onStdout });
      equal([text, result.stdout, result.stderr, result.exitCode], ['ünï\n', 'ünï\n', 'oops\n', 3]);
      const process = await desk.process({ argv: ['sh', '-c', 'tr a-z A-Z; exit 4'] });
      const input = process.stdin.getWriter();
      await input.write('streams');
      await input.write(new TextEncoder().encode(' of bytes'));
      await input.close();
      equal(await new Response(process.stdout).text(), 'STREAMS OF BYTES');
      equal((await process.exited).code, 4);
      const endless = await desk.process({ argv: ['sleep', '1000'] });
      endless.kill('TERM');
      equal((await endless.exited).signal, 'SIGTERM');
    },
    'output that is read slowly is whole': async (desk) => {
      const process = await desk.process({ command: 'head -c 20000000 /dev/zero' });
      const reader = process.stdout.getReader();
      let bytes = (await reader.read()).value?.length ?? 0;
      await pause(300);
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        bytes += next.value.length;
      }
      equal([bytes, (await process.exited).code], [20_000_000, 0]);
    },
    'connections to ports': async (desk, vc) => {
      await fails(desk.connect(9), { name: 'ServiceError' });
      await fails(vc.computer({ id: 'cmp_0' }).connect(80), { name: 'ServiceError', status: 404 });
      const server = `import socket
s = socket.create_server(('127.0.0.1', 8123))
c, _ = s.accept()
while data := c.recv(65536): c.sendall(data.upper())
c.close()`;
      const { job_id } = await desk.bash(`exec python3 -c "${server}"`, { background: true });
      const connect = async (left = 100) => {
        try {
          return await desk.connect(8123);
        } catch (error) {
          if (left === 0) throw error;
          await pause(50);
          return connect(left - 1);
        }
      };
      const connection = await connect();
      const writer = connection.writable.getWriter();
      await writer.write('to the port');
      await writer.close();
      equal(await new Response(connection.readable).text(), 'TO THE PORT');
      await desk.jobs.end(job_id);
    },
    'events and jobs': async (desk, vc) => {
      const left = new AbortController();
      const events = vc.events({ computer: target.id, types: ['job.exited'], signal: left.signal });
      await events.open();
      const { job_id } = await desk.bash('echo one; sleep 0.5; echo two', { background: true });
      const seen: string[] = [];
      for await (const part of desk.jobs.follow(job_id)) seen.push(part);
      equal(seen.join(''), 'one\ntwo\n');
      for await (const event of events) {
        if (event.type !== 'job.exited' || event.id !== job_id) continue;
        equal(event.ended_at, (await desk.jobs.get(job_id)).ended_at);
        break;
      }
      await (await vc.events().open()).close();
      left.abort();
    },
    'a recording, and calls that are ended': async (desk) => {
      await desk.trajectory.start({ max_seconds: 60 });
      await desk.move(3, 3);
      equal((await desk.trajectory.end()).steps, 1);
      equal((await desk.trajectory.get()).status, 'ended');
      const { steps } = await desk.trajectory.steps();
      equal(steps[0]?.action.action, 'move');
      const png = await desk.trajectory.picture(steps[0]?.before ?? '');
      equal(png[0], 0x89);
      const archive = await new Response(await desk.trajectory.download()).text();
      equal(archive.startsWith('trajectory.jsonl\0'), true);
      await desk.trajectory.delete();
      const video = await desk.record({ duration: 1, fps: 15 });
      const bytes = new Uint8Array(await new Response(video).arrayBuffer());
      equal(new TextDecoder().decode(bytes.subarray(4, 8)), 'ftyp');
      const began = Date.now();
      await fails(desk.run('sleep 1000', { timeoutMs: 300 }), { name: 'ServiceTimeoutError' });
      const own = new Error('enough');
      const signal = AbortSignal.timeout(300);
      await fails(desk.wait({ seconds: 50 }, { signal }), { name: 'TimeoutError' });
      await fails(desk.get({ signal: AbortSignal.abort(own) }), { message: 'enough' });
      equal(Date.now() - began < 10_000, true);
    },
  };
}
