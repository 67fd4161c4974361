import { CliError } from './errors.js';
import { ExitCode } from './exit-codes.js';

/** Refuses what is no http(s) address. */
export function checkBaseUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return;
  throw new CliError(`--base-url: ${JSON.stringify(baseUrl)} is not an http(s) address`, {
    hint: 'for example: --base-url https://vc.example.com/api',
    exitCode: ExitCode.usage,
    code: 'usage',
  });
}
