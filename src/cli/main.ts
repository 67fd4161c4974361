import { CommanderError } from 'commander';
import { buildProgram, type Dispatch } from './build.js';
import type { Context } from './context.js';
import { createContext, createSurroundings, type Overrides } from './create-context.js';
import type { Raw } from './define.js';
import { InterruptedError } from './errors.js';
import { ExitCode } from './exit-codes.js';
import { readGlobals } from './globals.js';
import { write } from './io.js';
import { checkJsonChoice } from './json.js';
import { printReport } from './report.js';
import { wantsColor } from './style.js';
import { commandWords, hasFlag, separateJson } from './words.js';

export type { Overrides } from './create-context.js';

/** Runs one command line (without the program's own name) and resolves to its exit code. */
export async function main(argv: readonly string[], overrides: Overrides = {}): Promise<number> {
  const surroundings = createSurroundings(overrides);
  const { io, env, interrupts, clients } = surroundings;
  const stopListening = overrides.interrupts === undefined ? interrupts.listen() : () => {};
  const color = !hasFlag(argv, '--no-color');
  let code: number = ExitCode.ok;
  let help = '';
  let context: Context | undefined;
  let given: Readonly<Record<string, Raw>> = {};
  const dispatch: Dispatch = async (definition, args, options) => {
    const globals = readGlobals(options);
    await checkJsonChoice(definition, globals);
    context = createContext(surroundings, globals);
    given = args;
    code = (await definition.invoke(context, args, options)) ?? ExitCode.ok;
  };
  try {
    const bold = wantsColor(io.stdout, env, { color })
      ? (text: string) => `\u001b[1m${text}\u001b[22m`
      : (text: string) => text;
    const writeOut = (text: string) => {
      help += text;
    };
    // As wide as the texts that the launcher has ready.
    const columns = Math.min(io.stdout.columns ?? 80, 80);
    const words = separateJson(argv);
    const program = await buildProgram(commandWords(words), {
      ...{ dispatch, writeOut, columns, bold },
    });
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (isHelp(error)) return ExitCode.ok;
    const stopped = interrupts.signal.aborted;
    const { helpOf, usageOf, withHelp } = await import('./usage.js');
    const shown = stopped ? new InterruptedError(surroundings.goesOn) : usageOf(error, argv);
    const { computerIn, explain } = await import('./explain.js');
    const explained = await explain(shown, context, computerIn(given, context?.globals.project));
    const report = withHelp(explained, helpOf(argv));
    await printReport(surroundings, report, {
      json: hasFlag(argv, '--json') || hasFlag(argv, '--jq'),
      color,
    });
    code = report.exitCode;
  } finally {
    stopListening();
    if (help !== '') await write(io.stdout, help);
    await Promise.all(clients.map((client) => client.close().catch(() => {})));
  }
  return code;
}

function isHelp(error: unknown): boolean {
  const codes = ['commander.helpDisplayed', 'commander.help', 'commander.version'];
  return error instanceof CommanderError && codes.includes(error.code);
}
