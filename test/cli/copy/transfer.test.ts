import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { transfer } from '../../../src/cli/copy/transfer.js';
import type { ComputerFiles } from '../../../src/client/files/files.js';

let root: string;
let [evil, trusted]: string[] = [];
beforeEach(() => {
  root = fs.mkdtempSync(join(tmpdir(), 'vc-transfer-'));
  [evil, trusted] = ['evil', 'trusted'].map((name) => join(root, name));
  for (const home of [evil, trusted]) fs.mkdirSync(String(home));
  fs.writeFileSync(join(String(trusted), '.bashrc'), '# mine\n');
});
afterEach(() => fs.rmSync(root, { recursive: true }));

/** Files of a computer whose home is a directory of this machine; `twice` is listed twice. */
function filesOf(home: string, twice?: string): ComputerFiles {
  const at = (path: string) => resolve(home, path);
  const entryOf = (path: string, stats: fs.Stats) => {
    const type = stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'directory' : 'file';
    const target = type === 'link' ? { target: fs.readlinkSync(path) } : {};
    const mode = (stats.mode & 0o777).toString(8);
    return { name: basename(path), type, size: stats.size, mode, ...target };
  };
  return {
    entry: async (path: string) => entryOf(at(path), fs.statSync(at(path))),
    list: async (path: string) => {
      const names = fs.readdirSync(at(path));
      const entries = names.map((name) =>
        entryOf(join(at(path), name), fs.lstatSync(join(at(path), name))),
      );
      const link = entries.find(({ name }) => name === twice);
      return link ? [...entries, { ...link, type: 'directory' }] : entries;
    },
    open: async (path: string) =>
      Object.assign(new PassThrough().end(fs.readFileSync(at(path))), { size: 1 }),
    makeDirectory: async (path: string) => {
      const created = !fs.existsSync(at(path));
      if (created) fs.mkdirSync(at(path));
      return { created };
    },
    makeLink: async (path: string, target: string) => {
      fs.rmSync(at(path), { force: true });
      fs.symlinkSync(target, at(path));
    },
    remove: async (path: string) => fs.unlinkSync(at(path)),
    // Follows a link, as the service does.
    write: async (path: string, body: AsyncIterable<Buffer>) => {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const real = fs.existsSync(at(path)) ? fs.realpathSync(at(path)) : at(path);
      fs.mkdirSync(dirname(real), { recursive: true });
      fs.writeFileSync(real, Buffer.concat(chunks));
    },
  } as unknown as ComputerFiles;
}

async function copy(twice?: string) {
  const output = new PassThrough();
  const lines: string[] = [];
  output.on('data', (chunk) => lines.push(String(chunk)));
  const failures: { readonly message: string }[] = [];
  const given = {
    ...{
      from: filesOf(String(evil), twice),
      files: filesOf(String(trusted)),
      failures,
      skipped: 0,
    },
    context: { globals: {}, io: { stderr: output } },
    meter: { begin: () => undefined, counter: () => new PassThrough() },
    signal: new AbortController().signal,
  };
  await transfer(given as never, ['proj'], '.');
  return { failures: failures.map(({ message }) => message), said: lines.join('') };
}

const inEvil = (path: string) => join(String(evil), path);
const inTrusted = (path: string) => join(String(trusted), path);
const bashrc = () => fs.readFileSync(inTrusted('.bashrc'), 'utf8');

it('goes through no link that an earlier copy has left in the target', async () => {
  fs.mkdirSync(inEvil('proj/p/q'), { recursive: true });
  fs.symlinkSync('../..', inEvil('proj/p/q/up'));
  expect((await copy()).failures).toEqual([]);
  expect(fs.readlinkSync(inTrusted('proj/p/q/up'))).toBe('../..');
  // The guest has a directory there now, and a link that would lead out of the copied one.
  fs.unlinkSync(inEvil('proj/p/q/up'));
  fs.mkdirSync(inEvil('proj/p/q/up'));
  fs.symlinkSync('..', inEvil('proj/p/q/up/out'));
  fs.mkdirSync(inEvil('proj/out'));
  fs.writeFileSync(inEvil('proj/out/.bashrc'), 'evil command\n');
  expect((await copy()).failures).toEqual([expect.stringMatching(/up is a link in the target/)]);
  await copy();
  expect(bashrc()).toBe('# mine\n');
  expect(fs.readdirSync(inTrusted('proj'))).toEqual(['out', 'p']);
});

it('copies a name that a guest lists twice once', async () => {
  fs.mkdirSync(inEvil('proj/p'), { recursive: true });
  fs.symlinkSync('..', inEvil('proj/p/up'));
  const { said, failures } = await copy('up');
  expect(failures).toEqual([]);
  expect(said).toContain('listed twice');
  expect(fs.readlinkSync(inTrusted('proj/p/up'))).toBe('..');
});

it('replaces a link of the target by a file, and writes nothing through it', async () => {
  fs.mkdirSync(inTrusted('proj'));
  fs.symlinkSync('../.bashrc', inTrusted('proj/notes'));
  fs.symlinkSync('/', inTrusted('proj/root'));
  fs.mkdirSync(inEvil('proj/root'), { recursive: true });
  fs.writeFileSync(inEvil('proj/notes'), 'evil command\n');
  expect((await copy()).failures).toEqual([expect.stringMatching(/root is a link/)]);
  expect(bashrc()).toBe('# mine\n');
  expect(fs.lstatSync(inTrusted('proj/notes')).isFile()).toBe(true);
});

it('merges directories, with links that stay', async () => {
  fs.mkdirSync(inTrusted('proj/p'), { recursive: true });
  fs.writeFileSync(inTrusted('proj/p/kept'), 'kept');
  fs.mkdirSync(inEvil('proj/p'), { recursive: true });
  fs.writeFileSync(inEvil('proj/p/new'), 'new');
  fs.symlinkSync('new', inEvil('proj/p/link'));
  for (let i = 0; i < 2; i += 1) expect((await copy()).failures).toEqual([]);
  expect(fs.readdirSync(inTrusted('proj/p')).sort()).toEqual(['kept', 'link', 'new']);
});
