import { CommanderError } from 'commander';
import { ServiceSilentError } from '../client/errors.js';
import { abortable } from '../lib/async/abort.js';
import type { Environment } from '../profile/index.js';
import { expandAlias, readAliases } from './alias/expand.js';
import { tree } from './commands/tree.js';
import { CliError, InterruptedError } from './errors/cli-error.js';
import { ExitCode, failureCode } from './errors/exit-codes.js';
import { cannotWrite } from './errors/file-errors.js';
import { printReport, reportOf } from './errors/report.js';
import {
  commandPath,
  hasFlag,
  withoutHelp,
  withProgramApart,
  withWordsApart,
} from './framework/argv.js';
import type { Context } from './framework/context.js';
import { createContext, createRuntime, type Overrides } from './framework/create-context.js';
import type { CommandDefinition } from './framework/define.js';
import { readGlobals } from './framework/globals.js';
import { failureOf, flush, type Io, write } from './framework/io.js';
import { findCommand } from './framework/nodes.js';
import { buildProgram, type Dispatch, isKnownCommand } from './framework/program.js';
import { joinFieldLists, joinJsonFields } from './output/format/json-fields.js';
import { withFormat } from './output/format/options.js';
import { checkJsonChoice } from './output/json.js';
import { wantsColor } from './output/style.js';

export type { Overrides } from './framework/create-context.js';

/** Width of the help texts that the build prepares for the launcher. */
const HELP_COLUMNS = 80;

/** Runs one command line (without the program's own name) and resolves to its exit code. */
export async function main(given: readonly string[], overrides: Overrides = {}): Promise<number> {
  const runtime = createRuntime(overrides);
  const { io, env, cwd, now, interrupts, clients } = runtime;
  const stopListening = overrides.interrupts === undefined ? interrupts.listen() : () => {};
  let argv = given;
  let color = !hasFlag(argv, '--no-color');
  let code: number = ExitCode.ok;
  let help = '';
  let json = printsJson(argv, io);
  const run: Context['run'] = (nested, options) =>
    main(nested, { io, env, cwd, now, interrupts, ...options });
  let definition: CommandDefinition | undefined;
  const dispatch: Dispatch = async (chosen, args, options) => {
    definition = chosen;
    const globals = withFormat(readGlobals(options), chosen, options);
    const isRead = globals.jq !== undefined && io.stderr.isTTY === true;
    json ||= globals.json && globals.format !== 'yaml' && !isRead;
    await checkJsonChoice(chosen, globals);
    code = await chosen.invoke(createContext(runtime, globals, run), args, options);
  };
  try {
    argv = await withProgram(await expandAlias(tree, given, env));
    color = !hasFlag(argv, '--no-color');
    json = printsJson(argv, io);
    const bold = wantsColor(io.stdout, env, { color })
      ? (text: string) => `\u001b[1m${text}\u001b[22m`
      : (text: string) => text;
    const writeOut = (text: string) => {
      help += text;
    };
    const columns = Math.min(io.stdout.columns || HELP_COLUMNS, HELP_COLUMNS);
    const listed = joinFieldLists(argv);
    const path = commandPath(listed);
    const words = hasFlag(listed, '--json') ? await withJsonFields(listed, path) : listed;
    const onInvalid = (chosen: CommandDefinition) => {
      definition = chosen;
    };
    const aliases = path.length === 0 ? await readAliases(env) : {};
    const display = { writeOut, columns, bold, aliases };
    const program = await buildProgram(tree, path, { dispatch, onInvalid, ...display });
    // Commander would print the help of what it knows, and ignore the unknown command.
    const parsed = isKnownCommand(program, path) ? words : withoutHelp(words);
    await program.parseAsync(parsed, { from: 'user' }).catch((error: unknown) => {
      if (!isHelp(error)) throw error;
    });
    if (help !== '') await write(io.stdout, help);
    await abortable(flush(io.stdout), interrupts.signal);
  } catch (error) {
    const { withUsage, withHelp } = await import('./framework/usage-errors.js');
    const shown = interrupts.signal.aborted
      ? new InterruptedError(runtime.interruptNote)
      : withUsage(await explained(error, io, env), tree, argv);
    const report = withHelp(reportOf(shown, env), tree, argv);
    code = failureCode(report.exitCode, definition);
    // If standard error cannot be written either, the exit code has to do.
    await printReport(runtime, report, { json, color }).catch(() => {});
  } finally {
    stopListening();
    await Promise.all(clients.map((client) => client.close().catch(() => {})));
  }
  return code;
}

/** True if errors are JSON too. With --jq on a terminal a person reads them. */
function printsJson(argv: readonly string[], { stderr }: Io): boolean {
  if (hasFlag(argv, '--jq')) return stderr.isTTY !== true;
  return hasFlag(argv, '--json');
}

/** Only `exec` and `ssh` take words of another program. */
async function withProgram(argv: readonly string[]): Promise<readonly string[]> {
  const path = commandPath(argv);
  if (!path.includes('exec') && !path.includes('ssh')) return argv;
  const command = await findCommand(tree, path);
  if (command?.definition.ownWords) return withWordsApart(argv, command.path.length);
  return withProgramApart(argv, command?.definition, command?.path.length ?? 0);
}

async function withJsonFields(argv: readonly string[], path: readonly string[]) {
  const command = await findCommand(tree, path);
  return joinJsonFields(argv, command?.definition, command?.path.length ?? 0);
}

/**
 * Blames an output that cannot be written to. The process behind a service that does not answer is
 * looked for only then.
 */
async function explained(error: unknown, { stdout }: Io, env: Environment): Promise<unknown> {
  const failure = failureOf(stdout);
  if (failure !== undefined) return cannotWrite('standard output', failure);
  if (!(error instanceof ServiceSilentError)) return error;
  const { describeSilence } = await import('./service/silence.js');
  const { message, remedy } = await describeSilence(error.baseUrl, env);
  const { exitCode, code } = reportOf(error);
  return new CliError(message, { remedy, exitCode, code, cause: error });
}

function isHelp(error: unknown): boolean {
  const codes = ['commander.helpDisplayed', 'commander.help', 'commander.version'];
  return error instanceof CommanderError && codes.includes(error.code);
}
