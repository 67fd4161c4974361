import type { ChalkInstance } from 'chalk';
import type { Client } from '../client/client.js';
import type { Environment, ProfileStore, Settings } from '../profile/index.js';
import type { Interrupts } from './interrupts.js';
import type { Io } from './io.js';
import type { Progress } from './progress.js';
import type { Prompt } from './prompt.js';

/** Options that every command takes. */
export interface Globals {
  readonly json: boolean;
  /** Fields of the JSON document that are wanted; all when undefined. */
  readonly fields?: readonly string[];
  /** A jq expression that the JSON document goes through. */
  readonly jq?: string;
  readonly quiet: boolean;
  readonly project?: string;
  readonly profile?: string;
  readonly baseUrl?: string;
  /** False with --no-color. */
  readonly color: boolean;
}

/** Everything a runner needs from outside. What takes time to make is made when asked for. */
export interface Context {
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly globals: Globals;
  readonly interrupts: Interrupts;
  now(): Date;
  profiles(): ProfileStore;
  settings(): Promise<Settings>;
  client(): Promise<Client>;
  prompt(): Promise<Prompt>;
  /** Shows that something is going on until `stop`; nothing of it where stderr is no terminal. */
  progress(text: string): Progress;
  /** Colours for a stream; none where the stream or the user wants none. */
  style(stream: 'stdout' | 'stderr'): Promise<ChalkInstance>;
  /** Says what goes on without us when the command is interrupted from here on. */
  whenInterrupted(hint: string | undefined): void;
}
