import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';

const { satisfies, minVersion } = createRequire(import.meta.url)('semver') as {
  satisfies(version: string, range: string): boolean;
  minVersion(range: string): { readonly version: string };
};

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}
interface Manifest {
  readonly engines: { readonly node: string };
  readonly workspaces: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, Entry>>;
}
const lock: Lock = read('package-lock.json');
/** Of programs that only `npm run test:thorough` uses. */
const generators: Lock = read('examples/openapi/package-lock.json');
const manifest = read('package.json') as Manifest;
/** Workspaces: their folders, and the links to them. */
const isOurs = ([path, { link }]: [string, Entry]) =>
  path === '' || link || !/node_modules/.test(path);
const entriesOf = ({ packages }: Lock) => Object.entries(packages).filter((one) => !isOurs(one));
const entries = entriesOf(lock);

it.each([lock, generators])(
  'every package comes from the registry and is pinned by a hash',
  (of) => {
    expect(of.lockfileVersion).toBe(3);
    expect(entriesOf(of).length).toBeGreaterThan(100);
    for (const [path, { version, resolved, integrity }] of entriesOf(of)) {
      expect(integrity, path).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
      expect(version, path).toMatch(/^\d+\.\d+\.\d+/);
      expect(resolved ?? 'https://registry.npmjs.org/', path).toMatch(
        /^https:\/\/registry\.npmjs\.org\//,
      );
      expect(path).toMatch(/^node_modules\//);
    }
  },
);

it('nothing but the workspaces is linked', () => {
  const links = Object.values(lock.packages).filter(({ link }) => link);
  expect(links.map(({ resolved }) => resolved).sort()).toEqual([...manifest.workspaces].sort());
});

it('dependencies are exact versions, equal to the locked ones', () => {
  for (const [name, version] of Object.entries({
    ...manifest.dependencies,
    ...manifest.devDependencies,
  })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version);
  }
});

it('no package needs an install script', () => {
  // That of @google/genai prints a line and that of protobufjs warns about versions; the others are
  // optional for ssh2 and only make it faster.
  const optional = ['@google/genai', 'cpu-features', 'protobufjs', 'ssh2'].map(
    (name) => `node_modules/${name}`,
  );
  const scripted = entries.filter(([, entry]) => entry.hasInstallScript).map(([path]) => path);
  expect(scripted.sort()).toEqual(optional);
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
    expect(manifest.scripts[name], name).toBeUndefined();
  }
});

it('every package supports the oldest supported Node.js', () => {
  const oldest = minVersion(manifest.engines.node).version;
  const others = [...entries, ...entriesOf(generators)].filter(
    ([, { engines }]) => engines?.node !== undefined && !satisfies(oldest, engines.node),
  );
  expect(others.map(([path, { engines }]) => `${path} wants ${engines?.node}`)).toEqual([]);
});
