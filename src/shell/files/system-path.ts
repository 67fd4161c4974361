import { ApiError } from '../../contract/errors.js';
import type { Connection } from '../connection.js';
import { quote } from '../process/quote.js';
import { run } from '../process/run.js';
import { INTERPRETER } from '../process/scripts.js';

const WITHIN_MS = 20_000;
/** The exit code of {@link translation} in a guest without an interpreter. */
const NO_INTERPRETER = 3;

/**
 * A path as the guest's files have it. Where the image has an interpreter, its system's own paths are
 * translated, such as `C:\dir\file`; the file need not exist, but its directory. Elsewhere a backslash
 * is a character of a name like any other.
 */
export async function systemPath(
  connection: Connection,
  path: string,
  signal?: AbortSignal,
): Promise<string> {
  if (!/\\|^[A-Za-z]:(\/|$)/.test(path) || path.includes('\0')) return path;
  const command = translation(path);
  const { stdout, exitCode } = await run(connection, {
    ...{ command, background: false, timeoutMs: WITHIN_MS },
    ...(signal && { signal }),
  });
  if (exitCode === NO_INTERPRETER) return path;
  if (exitCode === 0 && stdout !== '') return stdout;
  throw new ApiError(
    'not_found',
    `There is no directory for ${JSON.stringify(path)} in the computer.`,
  );
}

function translation(path: string): string {
  return `[ -x ${INTERPRETER} ] || exit ${NO_INTERPRETER}
path=${quote(path)}
translated() { ${INTERPRETER} --directory "$1" 2>/dev/null; }
if [[ $path =~ ^[A-Za-z]:([\\\\/]|$) ]]; then
  found=$(translated "$path")
  if [ -z "$found" ]; then
    name=\${path##*[\\\\/]}
    directory=$(translated "\${path%"$name"}")
    [ -z "$directory" ] || found=\${directory%/}/$name
  fi
else
  found=\${path//\\\\//}
fi
printf %s "$found"
[ -n "$found" ]`;
}
