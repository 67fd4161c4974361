import type { ChalkInstance } from 'chalk';
import type { Client } from '../../client/client.js';
import type { ComputerAddress } from '../../client/http/address.js';
import type { Environment, ProfileStore, Settings } from '../../profile/index.js';
import type { Prompt } from '../input/prompt.js';
import type { Progress } from '../output/progress.js';
import type { Interrupts } from './interrupts.js';
import type { Io } from './io.js';

/** Options that every command takes. */
export interface Globals {
  readonly json: boolean;
  /** What `json` is printed as; JSON when undefined. */
  readonly format?: 'json' | 'yaml';
  /** Every column of a table, whatever the width of the terminal. */
  readonly wide?: boolean;
  /** Fields to keep in the JSON document; all when undefined. */
  readonly fields?: readonly string[];
  /** A jq expression to filter the JSON document with. */
  readonly jq?: string;
  readonly quiet: boolean;
  readonly project?: string;
  readonly profile?: string;
  readonly baseUrl?: string;
  /** Absolute path of a PEM file. */
  readonly cacert?: string;
  /** False with --no-color. */
  readonly color: boolean;
}

/** What differs for a nested command line. */
export interface NestedOptions {
  readonly env?: Environment;
  readonly io?: Io;
  readonly interrupts?: Interrupts;
}

/** Everything a command gets from outside. Slow parts are created on first use. */
export interface Context {
  readonly io: Io;
  readonly env: Environment;
  readonly cwd: string;
  readonly globals: Globals;
  readonly interrupts: Interrupts;
  /** Computers by the bare names that were looked up. */
  readonly addresses: Map<string, Promise<ComputerAddress>>;
  now(): Date;
  profiles(): ProfileStore;
  settings(): Promise<Settings>;
  client(): Promise<Client>;
  prompt(): Promise<Prompt>;
  /** Shows a spinner until `stop`; nothing unless stderr is a terminal. */
  progress(text: string): Progress;
  /** Colours for a stream; none if the stream or the user wants none. */
  style(stream: 'stdout' | 'stderr'): Promise<ChalkInstance>;
  /** Sets the line printed below `interrupted`: what the service keeps doing. */
  whenInterrupted(note: string): void;
  /** Runs another command line (without the program's own name); resolves to its exit code. */
  run(argv: readonly string[], options?: NestedOptions): Promise<number>;
}
