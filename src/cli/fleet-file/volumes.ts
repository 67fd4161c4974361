import type { BodyInput } from '../../contract/types/index.js';
import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';
import type { Context } from '../framework/context.js';
import { request } from '../targets/client.js';
import type { FleetFile } from './schema.js';

export type NewVolume = NonNullable<BodyInput<'createVolume'>>;

/** The volumes of the file that do not exist. Throws CliError for one on another engine. */
export async function missingVolumes(
  context: Context,
  { file, shown }: { readonly file: Pick<FleetFile, 'volumes'>; readonly shown: string },
): Promise<readonly NewVolume[]> {
  const wanted = Object.entries(file.volumes);
  if (wanted.length === 0) return [];
  const { volumes } = await request(context, 'listVolumes');
  return wanted.flatMap(([name, { engine }]) => {
    const found = volumes.find((volume) => volume.name === name);
    if (found === undefined) return [{ name, ...(engine !== undefined && { engine }) }];
    if (engine === undefined || engine === found.engine) return [];
    throw new CliError(`volume ${name} is on ${found.engine}, and ${shown} says ${engine}`, {
      remedy: 'give it another name, or remove it with its files: vc volume rm NAME',
      ...{ exitCode: ExitCode.conflict, code: 'conflict' },
    });
  });
}

export async function createVolume(context: Context, body: NewVolume): Promise<void> {
  await request(context, 'createVolume', { body });
}
