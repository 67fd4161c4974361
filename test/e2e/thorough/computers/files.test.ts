import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../../../support/eventually.js';
import { inTier, onDocker } from '../../../support/run/tiers.js';
import { type OwnDesktop, openOwnDesktop } from '../../../support/service/desktop.js';

let desktop: OwnDesktop;
beforeAll(async () => {
  desktop = await openOwnDesktop();
});
afterAll(() => desktop.close());

const MiB = 1024 * 1024;
const files = () => desktop.computer.files;
const url = (path: string) =>
  `${desktop.service.baseUrl}/computers/${desktop.id}/files?path=${encodeURIComponent(path)}`;
const headers = () => ({ authorization: `Bearer ${desktop.service.apiKey}` });

/** Bytes that do not compress and leave no holes, the same in each run. */
async function* noise(bytes: number): AsyncGenerator<Buffer> {
  const block = Buffer.alloc(MiB);
  for (let i = 0; i < MiB; i += 32) createHash('sha256').update(`${i}`).digest().copy(block, i);
  for (let left = bytes; left > 0; left -= MiB) {
    block.writeUInt32LE(left >>> 0, 0);
    yield Buffer.from(block.subarray(0, Math.min(left, MiB)));
  }
}

async function digest(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

function memory(): number {
  const status = readFileSync(`/proc/${desktop.service.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

describe('a large file', () => {
  it('is uploaded and downloaded unchanged, with bounded memory in the service', async () => {
    // An emulated machine decrypts about 10 MB/s.
    const size =
      (inject('engine') === 'docker' ? inTier({ thorough: 1024, quick: 256 }) : 64) * MiB;
    const sent = createHash('sha256');
    async function* counted() {
      for await (const chunk of noise(size)) {
        sent.update(chunk);
        yield chunk;
      }
    }
    await files().write('warm', Readable.from(noise(8 * MiB)));
    const before = memory();
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, memory());
    }, 100);
    const startedAt = performance.now();
    const written = await files().write('big', Readable.from(counted(), { objectMode: false }), {
      size,
    });
    const up = performance.now();
    expect(written).toEqual({ success: true, path: '/home/user/big', size });
    const { stream, size: announced } = await files().open('big');
    const came = await digest(stream);
    const down = performance.now();
    clearInterval(watch);
    expect(announced).toBe(size);
    const wanted = sent.digest('hex');
    expect(came).toBe(wanted);
    expect((await desktop.run('sha256sum big; rm big warm')).slice(0, 64)).toBe(wanted);
    const rate = (ms: number) => Math.round(size / 1000 / ms);
    console.log(
      `${size / MiB} MiB: up ${rate(up - startedAt)} MB/s, down ${rate(down - up)} MB/s; ` +
        `service RSS ${before} MB before, ${peak} MB at most`,
    );
    expect(peak - before).toBeLessThan(120);
  }, 600_000);
});

describe('files and directories', () => {
  it('are renamed, replaced, found and removed', async () => {
    await files().makeDirectory('tree/deep/er', { recursive: true });
    await files().makeDirectory('tree/deep/er', { recursive: true });
    await files().write('tree/deep/er/a', new Blob(['one ', 'two']));
    await desktop.run('ln -s /etc tree/deep/etc; echo old > b; ln -s b to-b');
    expect(await files().rename('tree/deep/er/a', 'b')).toMatchObject({ path: '/home/user/b' });
    expect(await desktop.run('cat b')).toBe('one two');
    expect(await files().rename('tree/deep', '/home/user/tree/-moved dir/')).toMatchObject({
      path: '/home/user/tree/-moved dir',
    });
    expect(await files().rename('to-b', 'still-a-link')).toMatchObject({
      path: '/home/user/still-a-link',
    });
    expect(await files().exists('tree/-moved dir/er')).toBe(true);
    expect(await files().exists('tree/deep')).toBe(false);
    await expect(files().remove('tree')).rejects.toMatchObject({
      ...{ code: 'invalid_request', message: expect.stringContaining('not empty') },
    });
    await files().remove('tree', { recursive: true });
    await files().remove('still-a-link');
    expect(await desktop.run('ls -d tree still-a-link 2>/dev/null; ls -d /etc b')).toBe(
      '/etc\nb\n',
    );
    await files().remove('b');
  });

  it('that do not exist or may not be changed are errors that name them', async () => {
    const failed = { code: 'not_found', message: expect.stringContaining('"nothing"') };
    await expect(files().remove('nothing')).rejects.toMatchObject(failed);
    await expect(files().rename('nothing', 'b')).rejects.toMatchObject(failed);
    await expect(files().makeDirectory('nothing/here')).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(files().remove('/etc/hostname')).rejects.toMatchObject({
      ...{ code: 'invalid_request', message: expect.stringContaining('may not remove') },
    });
    const missing = desktop.service.vc.computer({ id: 'cmp_none' });
    await expect(missing.files.exists('x')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are copied from and to this machine', async () => {
    const local = join(desktop.service.directory, 'sample');
    writeFileSync(local, 'content', { mode: 0o750 });
    await desktop.computer.files.upload(local, 'sample');
    expect(await desktop.run('stat -c %a sample; cat sample')).toBe('750\ncontent');
    await desktop.computer.files.download('sample', `${local}-back`);
    expect(readFileSync(`${local}-back`, 'utf8')).toBe('content');
    await expect(files().download('nothing', `${local}-none`)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(existsSync(`${local}-none`)).toBe(false);
  });
});

describe('names and contents', () => {
  it('are kept unchanged', async () => {
    const names = [
      'with space',
      'Grüße 世界 👍🏽',
      'new\nline\ttab',
      '-rf',
      '$(id) `id` ; "q" \'s\' \\ * ?',
      '~',
      '%2f..%00',
    ];
    for (const [i, name] of names.entries()) {
      const data = Buffer.from(Array.from({ length: 256 }, (_, byte) => (byte + i) % 256));
      await files().write(`./${name}`, data);
      expect(await files().read(`./${name}`), name).toEqual(data);
    }
    const listed = (await files().list()).map(({ name }) => name);
    for (const name of names) expect(listed).toContain(name);
    const inGuest = await desktop.run(
      'for f in *; do [ -f "$f" ] && printf "%s\\0" "$f"; done; true',
    );
    for (const name of names) expect(inGuest.split('\0')).toContain(name);
    for (const name of names) await desktop.run(`rm -- '${name.replaceAll("'", "'\\''")}'`);
  });

  it('may be empty', async () => {
    expect(await files().write('empty', Buffer.alloc(0))).toMatchObject({ size: 0 });
    const { stream, size } = await files().open('empty');
    expect(size).toBe(0);
    expect(await digest(stream)).toBe(createHash('sha256').digest('hex'));
    const none = await fetch(url('empty2'), { method: 'PUT', headers: headers() });
    expect(await none.json()).toMatchObject({ size: 0 });
  });

  it('keep their mode, or get the requested one', async () => {
    await files().write('script', '#!/bin/sh\n', { mode: 0o750 });
    await files().write('script', '#!/bin/sh\necho hi\n');
    expect(await desktop.run('stat -c %a script; ./script')).toBe('750\nhi\n');
    expect(await files().entry('script')).toMatchObject({ type: 'file', mode: '0750', size: 18 });
  });

  it('are found by relative, home and absolute paths, and through links', async () => {
    await desktop.run('mkdir -p d/real; ln -sfn d/real link; ln -sf real/file d/to-file');
    expect(await files().write('~/link/file', 'one')).toMatchObject({
      path: '/home/user/d/real/file',
    });
    await files().write('/home/user/d/to-file', 'two');
    expect(await desktop.run('cat d/real/file; [ -L d/to-file ] && echo link')).toBe('twolink\n');
    const { json } = await desktop.service.http(
      'GET',
      '/projects/e2e/computers/desktop/directory?path=d',
    );
    expect(json).toMatchObject({
      path: '/home/user/d',
      entries: [
        { name: 'real', type: 'directory' },
        { name: 'to-file', type: 'link', target: 'real/file' },
      ],
    });
    expect((await files().read('/proc/version')).toString()).toMatch(/^Linux/);
  });
});

describe('a request that fails', () => {
  it.each([
    ['GET', '/etc', 400, 'is a directory'],
    ['GET', '/etc/shadow', 400, 'may not read'],
    ['GET', 'no/such', 404, 'There is no'],
    ['GET', '/dev/zero', 400, 'not a regular file'],
    ['GET', '', 400, 'path must not be empty'],
    ['GET', 'a\0b', 400, 'NUL'],
    ['GET', 'x'.repeat(300), 400, 'too long'],
    ['PUT', '/home/user', 400, 'is a directory'],
    ['PUT', 'no/such/file', 404, 'There is no directory'],
    ['PUT', '/etc/file', 400, 'may not write'],
    ['PUT', 'x'.repeat(300), 400, 'too long'],
    ['PUT', 'dir/', 400, 'names a directory'],
  ])('%s %s is %i', async (method, path, status, words) => {
    const answer = await fetch(url(path), {
      method,
      headers: headers(),
      ...(method === 'PUT' ? { body: 'x' } : {}),
    });
    const { error } = (await answer.json()) as { error: string };
    expect({ status: answer.status, error }).toMatchObject({ status });
    expect(error).toContain(words);
  });

  it('is answered during a large upload', async () => {
    const body = Readable.from(noise(300 * MiB), { objectMode: false });
    await expect(files().write('/etc/file', body)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('/etc/file'),
    });
  });

  it('needs a key, before the body is read', async () => {
    const answer = await fetch(url('x'), { method: 'PUT', body: 'x' });
    expect(answer.status).toBe(401);
  });

  it('reports a full disk and leaves no partial file', async () => {
    const free = Number(await desktop.run('df --output=avail -B1 /dev/shm | tail -1'));
    await desktop.run(`head -c ${Math.max(0, free - 20 * MiB)} /dev/zero >/dev/shm/filler`);
    const body = Readable.from(noise(64 * MiB), { objectMode: false });
    await expect(files().write('/dev/shm/too-big', body)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/disk is full.*too-big/),
    });
    await desktop.until('! ls -A /dev/shm | grep -q "too-big\\|vc-upload"');
    await desktop.run('rm /dev/shm/filler');
    await files().write('/dev/shm/fits', 'x');
  });
});

describe('an interrupted transfer', () => {
  it('leaves the old file when uploading', async () => {
    await files().write('kept', 'as it was');
    const { hostname, port } = new URL(desktop.service.baseUrl);
    const sending = request({
      hostname,
      port,
      method: 'PUT',
      path: new URL(url('kept')).pathname + new URL(url('kept')).search,
      headers: { ...headers(), 'content-length': String(100 * MiB) },
    });
    sending.on('error', () => undefined);
    for await (const chunk of noise(20 * MiB)) sending.write(chunk);
    await desktop.until('ls -A | grep -q vc-upload');
    // On Docker the bytes bypass SSH.
    const program = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -q 'python3 -[I]S'";
    if (inject('engine') === 'docker') await desktop.until(program);
    sending.destroy();
    await desktop.until(`! ${program}`);
    await desktop.until('! ls -A | grep -q vc-upload');
    expect(await desktop.run('cat kept')).toBe('as it was');
  });

  it('ends in the computer when downloading', async () => {
    await desktop.run('head -c 200M /dev/zero >large');
    const large = await files().open('large');
    for await (const _ of large) break;
    // The SFTP session of the download ends; the checking command uses none.
    await desktop.until(
      '! grep -l large /proc/[0-9]*/maps 2>/dev/null; ! ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q /large$',
    );
    await desktop.run('rm large');
  });
});

describe('vc cp', () => {
  const cp = (...args: string[]) =>
    desktop.service.cli(['computer', 'cp', ...args], { cwd: desktop.service.directory });

  it('copies trees both ways', async () => {
    const here = desktop.service.directory;
    const tree = [
      'mkdir -p tree/a/b "tree/with space" tree/none',
      'echo one >tree/a/one; echo two >"tree/with space/zwei ü"; : >tree/empty',
      'printf "x\\n" >"tree/new\nline"; printf "#!/bin/sh\\n" >tree/run; chmod 750 tree/run',
      'ln -s a/one tree/link; ln -s ../run tree/a/up',
    ].join('; ');
    const look =
      'cd $0 && find . -printf "%y %m %p %l\\0" | sort -z | tr "\\0" "|"; find . -type f -exec cat {} + | sort';
    const { execa } = await import('execa');
    await execa('bash', ['-c', tree], { cwd: here });
    expect(await cp('tree', 'e2e/desktop:')).toMatchObject({ code: 0 });
    const sent = (await execa('bash', ['-c', look, 'tree'], { cwd: here })).stdout;
    expect((await desktop.run(`bash -c '${look}' tree`)).trim()).toBe(sent.trim());
    expect(await cp('e2e/desktop:tree', './back')).toMatchObject({ code: 0 });
    expect((await execa('bash', ['-c', look, 'back'], { cwd: here })).stdout).toBe(sent);
    // Into an existing directory, and then only the contents.
    expect(await cp('e2e/desktop:tree/', 'back')).toMatchObject({ code: 0 });
    expect((await execa('bash', ['-c', look, 'back/tree'], { cwd: here })).stdout).toBe(sent);
    expect(await cp('e2e/desktop:tree/a/.', 'back/none')).toMatchObject({ code: 0 });
    expect(readFileSync(join(here, 'back/none/one'), 'utf8')).toBe('one\n');
  });

  it('takes several sources, pipes and JSON', async () => {
    const here = desktop.service.directory;
    writeFileSync(join(here, 'f1'), 'one');
    writeFileSync(join(here, 'f2'), 'two');
    await desktop.run('mkdir several');
    const json = await cp('f1', 'f2', 'e2e/desktop:several', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ files: 2, bytes: 6, skipped: 0, errors: [] });
    expect(await desktop.run('cat several/*')).toBe('onetwo');
    const piped = await desktop.service.cli(['computer', 'cp', '-', 'e2e/desktop:piped'], {
      input: Buffer.from([0, 255, 10]),
    });
    expect(piped.code).toBe(0);
    expect((await cp('e2e/desktop:piped', '-')).bytes).toEqual(Buffer.from([0, 255, 10]));
    expect(await cp('e2e/desktop:nope', '.')).toMatchObject({ code: 5 });
    expect(await cp('f1', 'f2', 'e2e/desktop:newname')).toMatchObject({ code: 2 });
    expect(await cp('f1', 'e2e/desktop:newdir/')).toMatchObject({ code: 2 });
    expect(await cp('f1', 'f2')).toMatchObject({ code: 2 });
  });

  it('copies from computer to computer', async () => {
    expect(await desktop.service.cli(['create', 'e2e/other'])).toMatchObject({ code: 0 });
    const other = desktop.service.vc.computer({ project: 'e2e', name: 'other' });
    await desktop.run(
      'mkdir -p between/sub; echo x >between/sub/run; chmod 750 between/sub/run; ln -s sub/run between/in; ln -s /etc/passwd between/out; head -c 3000000 /dev/urandom >between/large',
    );
    const look =
      'cd between && rm -f out && find . -printf "%y %m %p %l\\n" | sort && cat large in | sha256sum';
    const copied = await cp('e2e/desktop:between', 'e2e/other:');
    expect(copied).toMatchObject({ code: 0 });
    expect(copied.stderr).toContain('skipped between/out');
    expect((await other.bash(look)).stdout).toBe(await desktop.run(look));
    expect(await cp('e2e/other:between/large', 'e2e/other:copy')).toMatchObject({ code: 0 });
    expect((await other.bash('cmp copy between/large && echo same')).stdout).toBe('same\n');
    expect(await cp('e2e/desktop:nope', 'e2e/other:')).toMatchObject({ code: 5 });
    expect(await cp('e2e/desktop:between', 'e2e/none:')).toMatchObject({ code: 5 });
    expect(await cp('e2e/desktop:between', 'e2e/other:a', 'e2e/other:')).toMatchObject({ code: 2 });
    expect(await cp('e2e/desktop:between', 'e2e/desktop:in', 'e2e/other:none')).toMatchObject({
      code: 5,
    });
    // A link that an earlier copy has left there leads the next one nowhere.
    const commands = [
      'mkdir -p proj/p/q; ln -s ../.. proj/p/q/up',
      'rm proj/p/q/up; mkdir -p proj/p/q/up proj/out; ln -s .. proj/p/q/up/out; echo evil >proj/out/.escaped',
    ];
    for (const [round, command] of commands.entries()) {
      await desktop.run(command);
      const { code, stderr } = await cp('e2e/desktop:proj', 'e2e/other:');
      expect(code).toBe(round);
      if (round === 1) expect(stderr).toContain('proj/p/q/up is a link in the target');
    }
    expect((await other.bash('ls -A proj; test -e .escaped || echo safe')).stdout).toBe(
      'out\np\nsafe\n',
    );
    expect(await desktop.service.cli(['rm', 'e2e/other', '--yes'])).toMatchObject({ code: 0 });
  });

  it('skips links that leave the tree', async () => {
    await desktop.run(
      'mkdir evil; ln -s /etc/passwd evil/abs; ln -s ../../x evil/up; ln -s ok evil/in; echo ok >evil/ok',
    );
    const result = await cp('e2e/desktop:evil', 'evil');
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/skipped evil\/abs.*\n.*skipped evil\/up/);
    const { execa } = await import('execa');
    const { stdout } = await execa('ls', ['-A', 'evil'], { cwd: desktop.service.directory });
    expect(stdout.split('\n')).toEqual(['in', 'ok']);
  });

  onDocker('leaves no partial file when interrupted', async () => {
    const here = desktop.service.directory;
    await desktop.run('head -c 300M /dev/zero >large');
    const { execa } = await import('execa');
    const vc = new URL('../../../../bin/vc.js', import.meta.url).pathname;
    const child = execa(process.execPath, [vc, 'computer', 'cp', 'e2e/desktop:large', 'large'], {
      cwd: here,
      env: desktop.service.env,
      extendEnv: false,
      reject: false,
    });
    const listing = async () => (await execa('ls', ['-A'], { cwd: here })).stdout;
    await eventually(async () => /\.vc-.*\.tmp/.test(await listing()));
    child.kill('SIGINT');
    expect((await child).exitCode).toBe(130);
    expect(await listing()).not.toMatch(/large|\.tmp/);
    await desktop.run('rm large');
  });

  onDocker('streams a file without buffering it', async () => {
    const path = join(desktop.service.directory, 'stream');
    await pipeline(Readable.from(noise(50 * MiB)), createWriteStream(path));
    expect(await cp('stream', 'e2e/desktop:stream')).toMatchObject({ code: 0 });
    const wanted = await digest(createReadStream(path));
    expect((await desktop.run('sha256sum stream')).slice(0, 64)).toBe(wanted);
  });
});
