import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../../src/engines/incus/client/cluster.js';
import { writeSettings } from '../../src/engines/incus/setup/certificate.js';
import { configureCluster } from '../../src/engines/incus/setup/configure.js';
import { makeOwnDirectory } from '../../src/engines/local-host.js';
import { restoreState } from '../../src/fleet/store/backup/restore.js';
import { openStore } from '../../src/fleet/store/index.js';

/** A user whom no test needs. */
const OTHER = 65_001;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vc-own-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const refused = {
  code: 'forbidden',
  remedy: `Run this as its user, whose id is ${OTHER}, or choose another directory with --state or VC_STATE_DIR`,
};

it('creates a directory, and accepts it later, also through a link of this user', () => {
  const directory = join(root, 'a', 'state');
  makeOwnDirectory(directory);
  makeOwnDirectory(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  symlinkSync(directory, join(root, 'link'));
  makeOwnDirectory(join(root, 'link'));
});

describe.runIf(process.geteuid?.() === 0)("root and another user's state directory", () => {
  it('writes nothing through the links in it', () => {
    const directory = join(root, 'state');
    mkdirSync(directory);
    const precious = join(root, 'precious');
    writeFileSync(precious, 'unchanged');
    symlinkSync(precious, join(directory, 'reserve'));
    writeFileSync(join(directory, 'vc.db'), '');
    chmodSync(directory, 0o755);
    chownSync(directory, OTHER, OTHER);
    expect(() => openStore(directory)).toThrow(expect.objectContaining(refused));
    expect(() => restoreState(directory, precious)).toThrow(expect.objectContaining(refused));
    expect(readFileSync(precious, 'utf8')).toBe('unchanged');
    expect(statSync(directory).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(directory, 'vc.db'), 'utf8')).toBe('');
  });

  it.each(['.', 'incus'])(
    'set-up of a cluster writes no settings if %s is theirs',
    async (name) => {
      const [state, own] = [join(root, 'state'), join(root, 'own')];
      for (const directory of [state, own]) mkdirSync(directory);
      symlinkSync(own, join(state, 'incus'));
      lchownSync(join(state, name), OTHER, OTHER);
      const settings = { urls: ['https://10.0.0.1:8443'], project: 'vc', serverCertificate: 'x' };
      await expect(writeSettings(state, settings)).rejects.toMatchObject(refused);
      const asked: string[] = [];
      const ask = async (path: string) => Promise.reject(new Error(String(asked.push(path))));
      const cluster = { ask, run: ask } as unknown as Cluster;
      const options = { stateDirectory: state, poolDriver: 'dir' };
      await expect(configureCluster(cluster, options)).rejects.toMatchObject(refused);
      expect(asked).toEqual([]);
      expect(readdirSync(own)).toEqual([]);
    },
  );

  it('follows no link of that user to a directory of its own', () => {
    const directory = join(root, 'own');
    mkdirSync(directory);
    const link = join(root, 'state');
    symlinkSync(directory, link);
    lchownSync(link, OTHER, OTHER);
    expect(() => openStore(link)).toThrow(expect.objectContaining(refused));
    expect(existsSync(join(directory, 'vc.db'))).toBe(false);
  });
});
