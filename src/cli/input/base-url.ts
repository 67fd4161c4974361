import { CliError } from '../errors/cli-error.js';
import { ExitCode } from '../errors/exit-codes.js';

/** Throws unless `baseUrl` is an http(s) URL. */
export function checkBaseUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return;
  throw new CliError(`--base-url: ${JSON.stringify(baseUrl)} is not an http(s) URL`, {
    remedy: 'for example: --base-url https://vc.example.com/api',
    exitCode: ExitCode.usage,
    code: 'usage',
  });
}
