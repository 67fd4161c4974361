import {
  ServiceError,
  ServiceTimeoutError,
  ServiceUnreachableError,
  START_REMEDY,
} from '../../client/errors.js';
import { DEFAULT_BASE_URL } from '../../contract/constants.js';
import { ApiError, type ErrorCode } from '../../contract/errors.js';
import { errorMessage } from '../../lib/text/error-message.js';
import { printable, printableJson } from '../../lib/text/printable.js';
import {
  CertificateFileError,
  type Environment,
  ProfileFileError,
  recordedSocket,
  sameBaseUrl,
  UnknownProfileError,
} from '../../profile/index.js';
import type { Runtime } from '../framework/create-context.js';
import { type Output, write } from '../framework/io.js';
import { fold, textColumns } from '../output/layout/fold.js';
import { wantsColor } from '../output/style.js';
import { isLoopbackUrl } from '../serve/listen.js';
import { CliError } from './cli-error.js';
import { ExitCode, exitCodeOf } from './exit-codes.js';
import { systemError } from './file-errors.js';

/** An error as it is printed. */
export interface Report {
  readonly code: string;
  /** What went wrong and where, one line. */
  readonly message: string;
  /** What to do next, one line. */
  readonly remedy?: string;
  readonly exitCode: number;
  readonly requestId?: string;
}

/**
 * Classifies any error. Unknown errors are defects and get the exit code 1. A remedy names VC_API_KEY
 * if `env` has it.
 */
export function reportOf(error: unknown, env: Environment = {}): Report {
  if (error instanceof CliError) {
    const { code, message, remedy, exitCode, cause } = error;
    const requestId = cause instanceof ServiceError ? cause.requestId : undefined;
    return { code, message, remedy, exitCode, requestId };
  }
  if (error instanceof ServiceError) {
    const { code, knownCode, message, requestId } = error;
    const exitCode = exitCodeOf(knownCode);
    return { code, message, remedy: serviceRemedy(error, env), exitCode, requestId };
  }
  if (error instanceof ApiError) {
    const { code, message, remedy } = error;
    return { code, message, remedy, exitCode: exitCodeOf(code) };
  }
  if (error instanceof ServiceUnreachableError) {
    const { baseUrl, message, remedy } = error;
    return {
      code: 'unreachable',
      message,
      remedy: remedy === START_REMEDY ? startRemedy(baseUrl, env) : remedy,
      exitCode: ExitCode.unreachable,
    };
  }
  if (error instanceof ServiceTimeoutError) {
    const { message, remedy } = error;
    return { code: 'timeout', message, remedy, exitCode: ExitCode.unreachable };
  }
  if (error instanceof UnknownProfileError) {
    const { known, message, profile } = error;
    const list = known.length === 0 ? '' : `profiles: ${known.join(', ')}; `;
    const remedy = `${list}to add it: vc profile add ${profile} --base-url URL`;
    return { code: 'not_found', message, remedy, exitCode: ExitCode.notFound };
  }
  if (error instanceof ProfileFileError) {
    const { message, remedy } = error;
    return { code: 'profile_file', message, remedy, exitCode: ExitCode.failure };
  }
  if (error instanceof CertificateFileError) {
    const { message, remedy } = error;
    return { code: 'certificate_file', message, remedy, exitCode: ExitCode.failure };
  }
  const known = systemError(error);
  if (known !== undefined) return reportOf(known, env);
  return { code: 'failure', message: errorMessage(error), exitCode: ExitCode.failure };
}

function startRemedy(baseUrl: string, env: Environment): string {
  // The last service of this user at this address has ended; restart keeps its options.
  if (recordedSocket(baseUrl, env) !== undefined) return 'start it again: vc service restart';
  if (sameBaseUrl(baseUrl, DEFAULT_BASE_URL)) return 'start it: vc serve --detach';
  return isLoopbackUrl(baseUrl)
    ? `start it: vc serve --detach --listen ${new URL(baseUrl).host}`
    : 'start it on that machine: vc serve; or set the address with --base-url';
}

/** Errors whose remedy has to be run on the machine of the service. */
const HOST_ERRORS: readonly ErrorCode[] = ['image_missing', 'engine_unavailable'];

function serviceRemedy(
  { knownCode: code, remedy, baseUrl }: ServiceError,
  env: Environment,
): string | undefined {
  // The service does not know where the client gets its key from.
  if (code === 'unauthorized') {
    const where =
      baseUrl === undefined
        ? ''
        : `not accepted by ${baseUrl}: it is mistyped, was revoked, or has expired; `;
    const check = env.VC_API_KEY ? 'VC_API_KEY and --base-url' : '--base-url';
    return `${where}check ${check}, or log in again: vc login`;
  }
  if (remedy === undefined || baseUrl === undefined || !HOST_ERRORS.includes(code)) return remedy;
  return isLoopbackUrl(baseUrl) ? remedy : `on the machine of the service: ${remedy}`;
}

/** Prints a report on stderr: the message, then the remedy; or one JSON document. */
export async function printReport(
  { io, env }: Pick<Runtime, 'io' | 'env'>,
  report: Report,
  options: { readonly json: boolean; readonly color: boolean },
): Promise<void> {
  if (options.json) {
    const document = { error: reportDocument(report) };
    const text = io.stderr.isTTY
      ? printableJson(JSON.stringify(document, null, 2))
      : JSON.stringify(document);
    return write(io.stderr, `${text}\n`);
  }
  const { code, message, remedy } = report;
  let label = 'error:';
  if (wantsColor(io.stderr, env, options)) {
    const { Chalk } = await import('chalk');
    label = new Chalk({ level: 1 }).red(label);
  }
  // On a terminal the cursor is behind an echoed ^C or a question.
  const start = code === 'interrupted' && io.stderr.isTTY ? '\n' : '';
  await write(io.stderr, `${start}${label} ${errorLines(message, remedy, io.stderr)}\n`);
}

const LABEL_WIDTH = 'error: '.length;

/** A message to print behind `error: ` and, indented below it, the remedy; folded on a terminal. */
export function errorLines(message: string, remedy: string | undefined, stream: Output): string {
  const line = message.trim().replaceAll(/\s*\n\s*/g, ' ');
  const width = textColumns(stream) - LABEL_WIDTH;
  const texts = remedy === undefined ? [line] : [line, remedy];
  return texts.flatMap((text) => fold(printable(text), width)).join(`\n${' '.repeat(LABEL_WIDTH)}`);
}

/** The published JSON form of an error. */
export function reportDocument({ code, message, remedy, requestId }: Report) {
  return { code, message, hint: remedy, request_id: requestId };
}
