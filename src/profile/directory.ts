import { homedir } from 'node:os';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where profiles are kept: VC_CONFIG_DIR, else XDG_CONFIG_HOME/vc, else ~/.config/vc. */
export function configDirectory(env: Environment): string {
  return env.VC_CONFIG_DIR || join(xdg(env, 'XDG_CONFIG_HOME', '.config'), 'vc');
}

/** The file with the profiles. */
export function profilePath(directory: string): string {
  return join(directory, 'config.json');
}

/** Where the service keeps its state: VC_STATE_DIR, else XDG_STATE_HOME/vc, else ~/.local/state/vc. */
export function stateDirectory(env: Environment): string {
  return env.VC_STATE_DIR || join(xdg(env, 'XDG_STATE_HOME', '.local/state'), 'vc');
}

function xdg(env: Environment, name: string, below: string): string {
  return env[name] || join(env.HOME || homedir(), below);
}
