import { symlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeService, startFakeService } from '../../../../cli/support/fake-service.js';
import { API_KEY, computer, project } from '../../../../cli/support/run.js';
import { openTerminal } from '../../../../support/cli/tmux.js';
import { eventually } from '../../../../support/eventually.js';
import { freePort } from '../../../../support/screen/ingest.js';

const ROOT = new URL('../../../../..', import.meta.url).pathname;

let directory: string;
let prefix: string;
let files: string[];
let env: Record<string, string>;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vc-package-'));
  prefix = join(directory, 'prefix');
  const packing = ['pack', '--json', '--pack-destination', directory];
  const { stdout } = await execa('npm', packing, { cwd: await cleanClone(directory) });
  // The output of the build comes first.
  const packed = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [tarball] = Array.isArray(packed) ? packed : Object.values(packed);
  files = tarball.files.map(({ path }: { path: string }) => path);
  const archive = join(directory, tarball.filename);
  expect((await stat(archive)).size).toBeLessThan(2_750_000);
  const installing = ['install', '--global', '--prefix', prefix, '--prefer-offline'];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', archive];
  await execa('npm', [...installing, ...quiet], { cwd: directory, stdin: 'ignore' });
  env = {
    PATH: `${join(prefix, 'bin')}:${process.env.PATH}`,
    HOME: directory,
    VC_CONFIG_DIR: join(directory, 'config'),
  };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The tracked files as in a fresh clone, without dist, and with this checkout's node_modules. */
async function cleanClone(parent: string): Promise<string> {
  const clone = join(parent, 'clone');
  await mkdir(clone);
  await execa('sh', ['-c', 'git ls-files -z | tar -c --null -T - | tar -x -C "$0"', clone], {
    cwd: ROOT,
  });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  return clone;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const run = (program: string, args: readonly string[]) =>
  execa(program, args, { env, extendEnv: false, cwd: directory });

describe('the package', () => {
  it('contains what is needed to run it, and nothing else', () => {
    const folders = files.map((path) => path.split('/').slice(0, -1).join('/'));
    expect(
      [...new Set(folders.map((path) => path.split('/').slice(0, 2).join('/')))].sort(),
    ).toEqual([
      ...['', 'bin', 'clients/typescript', 'completions'],
      ...['dist', 'dist/chunks', 'dist/cli', 'dist/contract', 'dist/dashboard'],
      ...['dist/help', 'dist/lib'],
      ...['images', 'images/linux', 'images/wine', 'man', 'src/dashboard'],
    ]);
    const top = files.filter((path) => !path.includes('/'));
    expect(top.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    const ofTheDevelopers = /(^|\/)(test|bench|node_modules)\/|\.map$|\.test\.|(?<!\.d)\.ts$/;
    expect(files.filter((path) => ofTheDevelopers.test(path))).toEqual([]);
  });

  it('installs a working vc', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(await run('vc', ['--version'])).toMatchObject({ stdout: version, stderr: '' });
    expect((await run('vc', ['--help'])).stdout).toMatch(/^Usage: vc /);
    expect((await run('vc', ['profile', 'get'])).stdout).toContain('127.0.0.1:4700');
  });

  it('installs man pages that render without a warning', async () => {
    const pages = join(prefix, 'share/man/man1');
    const names = await readdir(pages);
    expect(names.sort()).toEqual((await readdir(join(ROOT, 'man'))).sort());
    const manual = join(prefix, 'share/man');
    // The page of a short form names another page, relative to the manual's directory.
    const render = ['-man', '-Tutf8', '-ww', '-z', ...names.map((name) => join(pages, name))];
    const rendered = await execa('groff', render, { cwd: manual });
    expect(rendered.stderr).toBe('');
    for (const page of ['vc-demo', 'vc-click']) {
      const shown = await run('man', ['-M', manual, '-P', 'cat', page]);
      expect(shown.stdout).toMatch(/NAME\n +vc-/);
    }
  });

  it('starts a service in the background and prints how to reach and stop it', async () => {
    const port = await freePort();
    const listen = ['--listen', `0.0.0.0:${port}`, '--expose'];
    // The service starts without an engine and reports what is missing.
    const bare = {
      ...env,
      DOCKER_HOST: 'unix:///nonexistent/docker.sock',
      VC_STATE_DIR: join(directory, 'state'),
      VC_CONFIG_DIR: join(directory, 'detached'),
    };
    const options = { env: bare, extendEnv: false, cwd: directory } as const;
    const started = await execa('vc', ['serve', '--detach', ...listen], options);
    const pid = Number(/, pid (\d+)$/m.exec(started.stderr)?.[1]);
    try {
      expect(started.stderr.split('\n')).toEqual([
        `listening on http://127.0.0.1:${port}/api, pid ${pid}`,
        expect.stringContaining('reachable from other machines without encryption'),
        expect.stringContaining('Put a TLS proxy in front of it'),
        expect.stringMatching(/^wrote the first API key to profile default \(.*\/detached\//),
        expect.stringContaining('log: '),
        'to open its web page: vc dashboard',
        expect.stringContaining('next: vc demo'),
      ]);
      expect((await execa('vc', ['whoami'], options)).stdout).toContain('0 of 2 running');
    } finally {
      process.kill(pid, 'SIGTERM');
      await eventually(async () => !isAlive(pid), 30_000);
    }
  }, 120_000);

  it('exports a typed client', async () => {
    const app = join(directory, 'app');
    await mkdir(join(app, 'node_modules'), { recursive: true });
    const installed = join(prefix, 'lib/node_modules/virtual-computers');
    await rm(join(app, 'node_modules/virtual-computers'), { force: true });
    symlinkSync(installed, join(app, 'node_modules/virtual-computers'));
    await writeFile(join(app, 'package.json'), '{"type":"module"}');
    const program = `
      import { VirtualComputers, type ComputerHandle } from 'virtual-computers';
      const vc = new VirtualComputers({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1/api' });
      const desk: ComputerHandle = vc.computer({ project: 'demo', name: 'desk' });
      const picture: Promise<Uint8Array> = desk.screenshot({ format: 'png' });
      picture.catch((error: Error) => console.log(error.name));
    `;
    await writeFile(join(app, 'right.ts'), program);
    await writeFile(join(app, 'wrong.ts'), program.replace("format: 'png'", "format: 'gif'"));
    const checking = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const { stdout } = await execa(tsc, [...checking, ...types, 'right.ts', 'wrong.ts'], {
      ...{ cwd: app, reject: false },
    });
    const [first, ...others] = stdout.split('\n').filter((line) => !line.startsWith(' '));
    expect(first).toMatch(/^wrong\.ts\(/);
    expect(stdout).toContain('"gif"');
    expect(others).toEqual([]);
    const plain = program
      .replace(', type ComputerHandle', '')
      .replaceAll(/: (ComputerHandle|Promise<Uint8Array>|Error)/g, '');
    await writeFile(join(app, 'right.js'), plain);
    expect((await run('node', [join(app, 'right.js')])).stdout).toBe('ServiceUnreachableError');
  }, 300_000);
});

describe('the package of the client', () => {
  it('is one package of at most 500 kB, with types for imports and for require', async () => {
    const app = await mkdtemp(join(directory, 'client-'));
    const clone = join(directory, 'clone/clients/typescript');
    const { stdout } = await execa('npm', ['pack', clone, '--json'], { cwd: app });
    const packed = JSON.parse(stdout);
    const [{ filename, unpackedSize }] = (
      Array.isArray(packed) ? packed : Object.values(packed)
    ) as [{ filename: string; unpackedSize: number }];
    await execa('npm', ['install', '--no-audit', '--no-fund', '--offline', filename], { cwd: app });
    console.log(`unpacked: ${unpackedSize} bytes`);
    expect(unpackedSize).toBeLessThanOrEqual(500_000);
    const visible = (await readdir(join(app, 'node_modules'))).filter((name) => name[0] !== '.');
    expect(visible).toEqual(['virtual-computers-client']);
    const program = `
      import { VirtualComputers, type BashResult } from 'virtual-computers-client';
      const vc = new VirtualComputers({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1/api' });
      export const ran: Promise<BashResult> = vc.computer({ id: 'x' }).bash('true', { cwd: 1 });`;
    for (const name of ['a.mts', 'a.cts']) await writeFile(join(app, name), program);
    // As of a page: without the types of Node.js.
    const checking = ['--noEmit', '--strict', '--module', 'nodenext', '--types', ''];
    const lib = ['--lib', 'es2023,dom,dom.iterable,esnext.disposable'];
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    const checked = await execa(tsc, [...checking, ...lib, 'a.mts', 'a.cts'], {
      ...{ cwd: app, reject: false },
    });
    const errors = checked.stdout.split('\n').filter((line) => !line.startsWith(' '));
    expect(errors.map((line) => line.replace(/\(.*/, ''))).toEqual(['a.cts', 'a.mts']);
    // An overload has its reasons on the lines below.
    const reasons = checked.stdout.match(/'number' is not assignable/g) ?? [];
    expect(reasons.length).toBeGreaterThanOrEqual(2);
  });
});

describe('completion', () => {
  let service: FakeService;
  beforeAll(async () => {
    service = await startFakeService();
    service.on('GET /projects', { projects: [project] });
    service.on(`GET /projects/${project.id}/computers`, {
      computers: [
        { ...computer, name: 'awake', status: 'running' },
        { ...computer, name: 'asleep', status: 'stopped' },
      ],
    });
  });
  afterAll(() => service.close());

  it.each([
    ['bash', ['bash', '--norc', '--noprofile', '-i'], 'source <(vc completion bash)'],
    [
      'zsh',
      ['zsh', '-f', '-i'],
      'autoload -Uz compinit; compinit -D -u; source <(vc completion zsh)',
    ],
    ['fish', ['fish', '--no-config', '-i'], 'vc completion fish | source'],
  ])(
    'in %s completes commands, options, and computers with a suitable status',
    async (_, command, load) => {
      const keys = { VC_API_KEY: API_KEY, VC_BASE_URL: service.baseUrl };
      const terminal = await openTerminal({
        ...{ command, cwd: directory },
        env: { ...env, ...keys, PS1: '$ ' },
      });
      try {
        // The shell calculates the sum, so the output differs from the echo of the typed command.
        const sum = command[0] === 'fish' ? '$(math 40+2)' : '$((40+2))';
        await terminal.type(`${load}; echo "loaded ${sum}"`);
        await terminal.press('Enter');
        await terminal.shows('loaded 42');
        await terminal.type('vc compu');
        await terminal.press('Tab');
        await terminal.shows('vc computer ');
        await terminal.type('star');
        await terminal.press('Tab');
        await terminal.shows('vc computer start ');
        await terminal.type('demo/');
        await terminal.press('Tab');
        await terminal.shows('vc computer start demo/asleep');
        await terminal.type(' --quie');
        await terminal.press('Tab');
        await terminal.shows(/vc computer start demo\/asleep +--quiet/);
        await terminal.press('C-u');
        await terminal.type('vc computer cp demo/aw');
        await terminal.press('Tab');
        await terminal.shows('vc computer cp demo/awake:');
        await terminal.type('x');
        await terminal.shows('vc computer cp demo/awake:x');
        await terminal.press('C-u');
        await terminal.type('vc serve --engine=do');
        await terminal.press('Tab');
        await terminal.shows('vc serve --engine=docker');
        await terminal.press('C-u');
        await terminal.type('vc restore clo');
        await terminal.press('Tab');
        await terminal.shows('vc restore clone');
      } finally {
        await terminal.close();
      }
    },
  );
});
