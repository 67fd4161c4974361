// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Dockerfiles
import { describe, expect, test } from 'vitest';
import { planBuild } from '../../../src/images/dockerfile/plan.js';
import { parseDockerfile } from '../../../src/images/dockerfile/stages.js';
import { BASE_CONFIG, type Step } from '../../../src/images/dockerfile/steps.js';

interface Options {
  readonly args?: Readonly<Record<string, string>>;
  readonly target?: string;
}

const IMAGES = ['linux', 'mine'];

async function plan(text: string, options: Options = {}) {
  const dockerfile = parseDockerfile(text, options);
  return planBuild(dockerfile, {
    ...options,
    findImage: async (name) =>
      IMAGES.includes(name) ? { name, id: `id-${name}`, config: BASE_CONFIG } : undefined,
  });
}

/** The steps of the target without the configuration. */
async function steps(text: string, options: Options = {}): Promise<Step[]> {
  const { target } = await plan(text, options);
  return target.steps.filter(({ action }) => action.kind !== 'configure');
}

async function action(text: string, options: Options = {}) {
  return (await steps(text, options)).at(-1)?.action;
}

const config = async (text: string, options?: Options) => (await plan(text, options)).target.config;

describe('RUN', () => {
  test.each([
    ['the shell form', 'RUN echo "a  b" $X', ['/bin/sh', '-c', 'echo "a  b" $X']],
    ['the exec form', 'RUN ["echo", "a b"]', ['echo', 'a b']],
    ['text that looks like a list', 'RUN [ -f x ]', ['/bin/sh', '-c', '[ -f x ]']],
    [
      'continued lines without comments',
      'RUN a && \\\n  # why\n\n  b \\ \n  c',
      ['/bin/sh', '-c', 'a &&   b   c'],
    ],
    ['SHELL', 'SHELL ["/bin/bash", "-ec"]\nRUN a', ['/bin/bash', '-ec', 'a']],
    ['a here-document', 'RUN <<EOF\na \\\n  b\n# c\nEOF', ['/bin/sh', '-c', 'a \\\n  b\n# c\n']],
    ['tabs before it', 'RUN <<-EOF\n\ta\n\t\tb\n\tEOF', ['/bin/sh', '-c', 'a\nb\n']],
    [
      'a program with a here-document',
      "RUN python3 - <<'E' >/x\nprint(1)\nE\n",
      ['/bin/sh', '-c', "python3 - <<'E' >/x\nprint(1)\nE"],
    ],
  ])('takes %s', async (_what, text, argv) => {
    expect(await action(`FROM linux\n${text}`)).toMatchObject({ kind: 'run', argv });
  });

  test('gives a script with an interpreter of its own to that', async () => {
    const run = await action('FROM linux\nRUN <<EOF\n#!/usr/bin/env python3\nprint(1)\nEOF');
    expect(run).toMatchObject({ input: '#!/usr/bin/env python3\nprint(1)\n' });
  });

  test('has the variables, user and directory of its place', async () => {
    const text = 'ARG V=1\nENV A=$V V=2\nWORKDIR /x\nWORKDIR y\nUSER $A:g\nRUN a\nENV A=3';
    expect(await action(`FROM linux\n${text}`)).toMatchObject({
      env: { A: '1', V: '2', PATH: BASE_CONFIG.env.PATH },
      user: '1:g',
      workdir: '/x/y',
    });
  });

  test('mounts secrets and caches', async () => {
    const text =
      'RUN --mount=type=secret,id=token,required --mount=type=cache,target=/root/.cache \\\n pip';
    expect(await action(`FROM linux\n${text}`)).toMatchObject({
      argv: ['/bin/sh', '-c', 'pip'],
      mounts: [
        { type: 'secret', target: '/run/secrets/token', required: true, mode: 0o400 },
        { type: 'cache', target: '/root/.cache' },
      ],
    });
  });
});

describe('variables', () => {
  test('ARG before FROM is for FROM, and for an ARG of its name', async () => {
    const text = 'ARG BASE=linux\nARG V=9\nFROM ${BASE}\nRUN a\nARG V\nARG W=${V}x\nRUN b';
    const [a, b] = await steps(text);
    expect(a?.action).toMatchObject({ env: { PATH: BASE_CONFIG.env.PATH } });
    expect(a?.action).not.toHaveProperty('env.V');
    expect(b?.action).toMatchObject({ env: { V: '9', W: '9x' } });
  });

  test('build arguments replace defaults, not ENV', async () => {
    const text = 'ARG BASE=nothing\nFROM $BASE\nARG A=1\nARG B\nENV B=env\nRUN a';
    const args = { BASE: 'mine', A: 'x', B: 'y' };
    expect(await action(text, { args })).toMatchObject({ env: { A: 'x', B: 'env' } });
  });

  test('all values of an ENV see the variables of before', async () => {
    const text = 'FROM linux\nENV abc=hello\nENV abc=bye def=$abc\nENV ghi=$abc\nENV old two words';
    expect((await config(text)).env).toMatchObject({
      abc: 'bye',
      def: 'hello',
      ghi: 'bye',
      old: 'two words',
    });
  });

  test('an unused build argument is noted', async () => {
    const { notes } = await plan('FROM linux\nARG A', {
      args: { A: '1', B: '2', http_proxy: 'x' },
    });
    expect(notes.map(({ message }) => message)).toEqual(['no ARG uses the build argument B']);
  });

  test('TARGETARCH is the architecture', async () => {
    const run = await action('FROM linux\nARG TARGETARCH\nRUN a');
    expect(run).toMatchObject({ env: { TARGETARCH: 'amd64' } });
  });
});

describe('COPY', () => {
  test('has owner, mode and a destination in the working directory', async () => {
    const text = 'ARG D=app\nWORKDIR /srv\nCOPY --chown=user:user --chmod=0755 a b/*.txt $D/';
    expect(await action(`FROM linux\n${text}`)).toEqual({
      kind: 'copy',
      sources: ['a', 'b/*.txt'],
      files: [],
      to: '/srv/app/',
      owner: 'user:user',
      mode: 0o755,
      unpacks: false,
    });
  });

  test('takes the exec form, for names with spaces', async () => {
    const copy = await action('FROM linux\nCOPY ["a b", "./"]');
    expect(copy).toMatchObject({ sources: ['a b'], to: '/' });
  });

  test('writes here-documents', async () => {
    const text = `ENV V=1
COPY <<-A <<"B" x /dir/
	"$V"
	A
$V
B
`;
    expect(await action(`FROM linux\n${text}`)).toMatchObject({
      sources: ['x'],
      files: [
        { name: 'A', content: '"1"\n' },
        { name: 'B', content: '$V\n' },
      ],
    });
  });

  test('reads stages by name and number, and images', async () => {
    const text =
      'FROM linux AS One\nRUN a\nFROM linux\nCOPY --from=one /a /\nCOPY --from=0 /b /\nCOPY --from=mine /c /';
    const [one, zero, mine] = await steps(text);
    expect([one?.from, zero?.from].map((from) => from && 'steps' in from && from.name)).toEqual([
      'one',
      'one',
    ]);
    expect(mine?.from).toMatchObject({ id: 'id-mine' });
  });
});

test('only stages that the target needs are built, each once, in order', async () => {
  const text = `FROM linux AS base
FROM base AS unused
RUN a
FROM base AS build
RUN b
FROM linux AS last
COPY --from=build /b /
COPY --from=build /c /`;
  const names = (await plan(text)).stages.map(({ name }) => name);
  expect(names).toEqual(['base', 'build', 'last']);
  expect((await plan(text, { target: 'build' })).stages.map(({ name }) => name)).toEqual([
    ...['base', 'build'],
  ]);
});

describe('the configuration of the image', () => {
  test('has labels, variables and the program', async () => {
    const text =
      'FROM linux AS a\nENV A=1\nLABEL "x.y"="a b" z=$A\nFROM a\nENTRYPOINT ["run"]\nCMD ["x"]';
    const { target } = await plan(text);
    expect(target.config).toMatchObject({ labels: { 'x.y': 'a b', z: '1' }, entrypoint: ['run'] });
    expect(target.steps.at(-1)?.action).toEqual({
      kind: 'configure',
      env: { A: '1' },
      program: ['run', 'x'],
      workdir: '/',
    });
  });

  test('ENTRYPOINT ends the CMD of before; the shell form takes the shell', async () => {
    const text = 'FROM linux\nCMD a\nENTRYPOINT b';
    expect(await config(text)).toMatchObject({ entrypoint: ['/bin/sh', '-c', 'b'], command: [] });
  });

  test('is no step if it is that of the base', async () => {
    expect((await plan('FROM linux\nRUN a')).target.steps).toHaveLength(1);
  });

  test('notes whom CMD runs as', async () => {
    const { notes } = await plan('FROM linux\nUSER www-data\nCMD a');
    expect(notes[0]?.message).toContain('not as www-data');
  });
});

test('ignored instructions are noted with their lines', async () => {
  const text =
    'FROM linux\nEXPOSE 80\nVOLUME /x\nSTOPSIGNAL 9\nHEALTHCHECK NONE\nMAINTAINER me\nRUN a';
  const { notes } = await plan(text);
  expect(notes.map(({ line, message }) => `${line} ${message.split(':')[0]}`)).toEqual([
    ...['2 EXPOSE is ignored', '3 VOLUME is ignored', '4 STOPSIGNAL is ignored'],
    ...['5 HEALTHCHECK is ignored', '6 MAINTAINER is ignored'],
  ]);
});

test('CRLF, a byte order mark and another escape character', async () => {
  const text = '\ufeff# escape=`\r\nFROM linux\r\nRUN a `\r\n  b\r\nCOPY x C:\\\r\n';
  const [run, copy] = await steps(text);
  expect(run?.action).toMatchObject({ argv: ['/bin/sh', '-c', 'a   b'] });
  expect(copy?.action).toMatchObject({ to: '/C:\\' });
});

test.each([
  ['', 'Dockerfile has no FROM.'],
  ['RUN a', 'Dockerfile:1: RUN is before the first FROM'],
  ['ARG A\nFROM $A', 'Dockerfile:2: $A is empty'],
  ['FROM linux\n\nONBUILD RUN a', 'Dockerfile:3: ONBUILD is not supported'],
  ['FROM linux\nRUM a', 'Dockerfile:2: there is no instruction RUM'],
  ['FROM linux\nADD https://x.test/a /', 'Dockerfile:2: ADD does not download https://x.test/a'],
  ['FROM linux\nADD git@x.test:a.git /', 'Dockerfile:2: ADD does not download'],
  ['FROM linux\nRUN --mount=type=bind,target=. a', 'Dockerfile:2: --mount=type=bind is not'],
  ['FROM linux\nRUN --mount=type=constructor a', 'Dockerfile:2: --mount=type=constructor is not'],
  ['FROM linux\nRUN --network=none a', 'Dockerfile:2: --network=none is not supported'],
  ['FROM linux\nCOPY --parents a /', 'Dockerfile:2: COPY --parents is not supported'],
  ['FROM linux\nCOPY a b /c', 'Dockerfile:2: with several sources, the destination /c must end'],
  ['FROM linux\nCOPY a', 'Dockerfile:2: COPY needs a source and a destination'],
  ['FROM linux\nCOPY --chmod=u+x a /', 'Dockerfile:2: --chmod=u+x is not an octal mode'],
  ['FROM linux\nCOPY --from=debian a /', 'Dockerfile:2: there is no image "debian"'],
  [
    'FROM linux AS a\nCOPY --from=next a /\nFROM a AS next',
    'Dockerfile:2: --from=next: there is no earlier stage next',
  ],
  ['FROM linux\nCOPY --from=3 a /', 'Dockerfile:2: --from=3: there is no earlier stage 3'],
  ['FROM debian:12', 'Dockerfile:1: there is no image "debian:12"'],
  ['FROM scratch', 'Dockerfile:1: FROM scratch is not supported'],
  ['FROM linux x', 'Dockerfile:1: FROM takes an image, or an image AS a name'],
  ['FROM linux\nENV 1A=x', 'Dockerfile:2: "1A" is not a valid variable name'],
  ['FROM linux\nENV A', 'Dockerfile:2: ENV A has no value'],
  ['FROM linux\nENV A="x', 'Dockerfile:2: a quote is not closed'],
  ['FROM linux\nRUN <<EOF\nx', 'Dockerfile:2: the here-document <<EOF has no end'],
  ['FROM linux\nRUN', 'Dockerfile:2: RUN has no arguments'],
  ['FROM linux\nSHELL bash', 'Dockerfile:2: SHELL takes a JSON list'],
  ['FROM linux\nUSER ${U:?pass it}', 'Dockerfile:2: U: pass it'],
  [`FROM linux\n${'RUN a\n'.repeat(1000)}`, 'Dockerfile has more than 1000 instructions'],
  ['x'.repeat(300_000), 'Dockerfile is larger than 64 KiB'],
])('%j is refused', async (text, message) => {
  await expect(plan(text)).rejects.toThrow(message);
});

test('an unknown target names the stages', async () => {
  await expect(plan('FROM linux AS a\nFROM a', { target: 'b' })).rejects.toMatchObject({
    message: 'Dockerfile has no stage b.',
    remedy: 'it has: a',
  });
});
