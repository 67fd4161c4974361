/** Types of startup.js. */
interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly min: number;
}

interface Times {
  readonly cpu: Quantiles;
  readonly wall: Quantiles;
}

/** Times of a command line in milliseconds, and as multiples of the empty module. */
export interface Start extends Times {
  readonly name: string;
  readonly argv: readonly string[];
  readonly most: number;
  readonly ratio: { readonly cpu: number; readonly wall: number };
}

export function measureStartup(options: {
  readonly runs: number;
  readonly env: NodeJS.ProcessEnv;
}): { readonly empty: Times; readonly starts: readonly Start[] };
