import { auditCommands } from './routes.js';

/** Actions that are no operations. */
const OTHERS: Readonly<Record<string, string>> = {
  autoStop: 'stop (idle)',
  autoDelete: 'rm (idle)',
  expire: 'rm (expired)',
  budgetStop: 'stop (budget)',
  ended: 'stop (outside)',
  viewOpened: 'view (opened)',
  controlEnded: 'computer control (ended)',
  moveComputer: 'move (drain)',
};

const COMMANDS: Readonly<Record<string, string | undefined>> = { ...auditCommands, ...OTHERS };

/** The command, without `vc`, that the audit log shows for an action; an unknown action as it is. */
export function auditCommand(action: string): string {
  return Object.hasOwn(COMMANDS, action) ? (COMMANDS[action] ?? action) : action;
}

/** Actions whose command contains the text, in any case. */
export function actionsOf(command: string): string[] {
  const part = command.toLowerCase();
  return Object.keys(COMMANDS).filter((action) => COMMANDS[action]?.includes(part));
}
