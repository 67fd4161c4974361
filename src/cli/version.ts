import { readFileSync } from 'node:fs';

/** The package's version. */
export function version(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  const { version: found } = manifest as { version?: unknown };
  return typeof found === 'string' ? found : '0.0.0';
}
