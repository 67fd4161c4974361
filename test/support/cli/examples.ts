import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { transform } from 'rolldown/experimental';
import type { ServiceClient } from '../service/service.js';

const ROOT = new URL('../../../', import.meta.url).pathname;
const NUL = '/dev/null';

/** Runs lines of documentation as a user of bash would, with `vc` and the package installed. */
export interface Examples {
  /** The directory that they are run in. */
  readonly directory: string;
  /** Fails with all output if a line fails. Nothing is at stdin. */
  run(script: string): Promise<string>;
}

export function openExamples(
  service: Pick<ServiceClient, 'directory' | 'env' | 'baseUrl' | 'apiKey'>,
): Examples {
  const directory = join(service.directory, 'examples');
  const bin = join(service.directory, 'bin');
  for (const made of [directory, bin, join(directory, 'node_modules')]) mkdirSync(made);
  symlinkSync(ROOT, join(directory, 'node_modules/virtual-computers'));
  const client = join(directory, 'node_modules/virtual-computers-client');
  symlinkSync(join(ROOT, 'clients/typescript'), client);
  writeFileSync(join(bin, 'vc'), `#!/bin/sh\nexec '${process.execPath}' '${ROOT}bin/vc.js' "$@"\n`);
  chmodSync(join(bin, 'vc'), 0o755);
  const env = {
    ...service.env,
    PATH: `${bin}:${service.env.PATH}`,
    VC_BASE_URL: service.baseUrl,
    VC_API_KEY: service.apiKey,
    PYTHONPATH: join(ROOT, 'clients/python'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return {
    directory,
    run: async (script) => {
      const result = await execa('bash', ['-euo', 'pipefail', '-c', script], {
        ...{ env, extendEnv: false, cwd: directory, reject: false, all: true, timeout: 300_000 },
        stdin: { file: NUL },
      });
      if (result.exitCode === 0) return result.stdout;
      throw new Error(`${script}\nexit code ${result.exitCode}\n${result.all?.slice(-4000)}`);
    },
  };
}

/** Lines that are not run, with the reason. */
export type Skipped = readonly (readonly [pattern: RegExp, reason: string])[];

/** The lines that are run. Throws for a pattern that no line matches. */
export function withoutSkipped(lines: readonly string[], skipped: Skipped): string[] {
  const idle = skipped.filter(([pattern]) => !lines.some((line) => pattern.test(line)));
  if (idle.length > 0) throw new Error(`nothing to skip: ${idle.map(([p]) => p).join(', ')}`);
  return lines.filter((line) => !skipped.some(([pattern]) => pattern.test(line)));
}

/** The code blocks of a document in one language. */
export function codeBlocks(markdown: string, language: string): string[] {
  const pattern = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g');
  return [...markdown.matchAll(pattern)].map(([, block = '']) => block);
}

/** The shell samples of a document as one script, which prints each line before it runs. */
export function shellScript(markdown: string, skipped: Skipped): string {
  const lines = codeBlocks(markdown, 'sh')
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line !== '');
  // As `set -x`, but the line as it stands.
  const shown = withoutSkipped(lines, skipped).map(
    (line) =>
      `printf '%s\\n' ${JSON.stringify('> ')}${JSON.stringify(line).replaceAll('$', '\\$').replaceAll('`', '\\`')} >&2\n${line}`,
  );
  return shown.join('\n');
}

/** The command that runs a program of examples/agents in a project; Node.js 20 reads no types. */
export async function agentCommand(
  { directory }: Examples,
  project: string,
  program: string,
): Promise<string> {
  const source = readFileSync(join(ROOT, 'examples/agents', program), 'utf8');
  const own = source.replace(/(['"])demo\1/, `$1${project}$1`);
  if (own === source) throw new Error(`${program} does not name the project demo`);
  const isPython = program.endsWith('.py');
  const name = isPython ? `agent_${program}` : `${program}.mjs`;
  const code = isPython ? own : (await transform(program, own)).code;
  writeFileSync(join(directory, name), code);
  return `${isPython ? '/usr/bin/python3' : 'node'} ${name}`;
}
