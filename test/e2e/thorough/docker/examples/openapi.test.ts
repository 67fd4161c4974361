import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect, inject, it } from 'vitest';

const run = promisify(execFile);
const example = join(process.cwd(), 'examples/openapi');
const modules = join(example, 'node_modules');

it('a program whose types come from the OpenAPI document compiles strictly and works', async () => {
  const { baseUrl, apiKey } = inject('sharedService');
  await mkdir(join(modules, '.cache'), { recursive: true });
  // Below the packages, so that the compiler finds them.
  const cwd = await mkdtemp(join(modules, '.cache/vc-openapi-'));
  try {
    const document = await fetch(`${baseUrl}/openapi.json`);
    await writeFile(join(cwd, 'openapi.json'), await document.text());
    await writeFile(join(cwd, 'package.json'), '{"type": "module"}');
    await copyFile(join(example, 'program.ts'), join(cwd, 'program.ts'));
    const generator = join(modules, 'openapi-typescript/bin/cli.js');
    const options = ['openapi.json', '-o', 'schema.ts', '--default-non-nullable=false'];
    await run(process.execPath, [generator, ...options], { cwd });

    const strict = ['--strict', '--noUncheckedIndexedAccess', '--types', 'node'];
    const compiler = ['--module', 'nodenext', '--target', 'es2022', 'program.ts'];
    await run(join(modules, '.bin/tsc'), [...strict, ...compiler], { cwd });

    const env = { ...process.env, VC_BASE_URL: baseUrl, VC_API_KEY: apiKey };
    const { stdout } = await run(process.execPath, ['program.js'], { cwd, env });
    expect(JSON.parse(stdout)).toEqual({
      ...{ status: 'running', size: 6, stdout: 'hello\n', exit_code: 0, event: true },
      missing: expect.stringMatching(/^There is no computer/),
    });
    const { format, width, height } = await sharp(
      await readFile(join(cwd, 'screenshot.png')),
    ).metadata();
    expect({ format, width, height }).toEqual({ format: 'png', width: 640, height: 400 });
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}, 300_000);
