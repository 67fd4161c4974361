import { quote } from '../../../api/commands.js';
import type { TrajectoryStep } from '../../../api/types.js';

/** Downloads the trajectory and carries it out, with the secrets that it types. */
export function replayCommands(computer: string, steps: readonly TrajectoryStep[]): string[] {
  const names = steps.flatMap(({ action: { secrets } }) => (Array.isArray(secrets) ? secrets : []));
  const allowed = [...new Set(names.map(String))].flatMap((name) => ['--secret', name]);
  return [
    ['vc', 'computer', 'trajectory', computer, '-o', 'trajectory'],
    ['vc', 'computer', 'replay', computer, 'trajectory', ...allowed],
  ].map((words) => words.map(quote).join(' '));
}
