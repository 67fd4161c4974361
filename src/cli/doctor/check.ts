import type { Environment } from '../../profile/index.js';

/** What a check found. */
export type Finding =
  | { readonly status: 'ok'; readonly detail: string }
  /** Usable, but not as it should be. */
  | { readonly status: 'stale'; readonly detail: string; readonly remedy: string }
  /** `remedy` is the one command that mends it. */
  | { readonly status: 'missing'; readonly detail: string; readonly remedy: string }
  | { readonly status: 'skipped'; readonly detail: string };

export const ok = (detail: string): Finding => ({ status: 'ok', detail });
export const missing = (detail: string, remedy: string): Finding => {
  return { status: 'missing', detail, remedy };
};

/** Where checks look; a test puts its own in place. */
export interface Surroundings {
  readonly env: Environment;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly stateDirectory: string;
  readonly user: { readonly name: string; readonly isRoot: boolean };
  readonly signal: AbortSignal;
}

/** What a check is about: vc itself, or one engine of which another could take the place. */
export type Section = 'vc' | 'docker' | 'qemu';

/** One thing that has to be there, and how to find out. */
export interface Check {
  readonly name: string;
  readonly title: string;
  readonly section: Section;
  /** Is vc unusable without it? */
  readonly needed: boolean;
  /** What is only needed where the service runs is not looked for elsewhere. */
  readonly where: 'host' | 'client';
  run(surroundings: Surroundings): Promise<Finding>;
}

export interface Diagnosis {
  readonly name: string;
  readonly title: string;
  readonly section: Section;
  readonly needed: boolean;
  readonly finding: Finding;
}

/** Runs the checks, at once but in the order given; a check that throws has found something. */
export function diagnose(
  checks: readonly Check[],
  surroundings: Surroundings,
): Promise<Diagnosis[]> {
  const isHost = ['127.0.0.1', 'localhost', '[::1]'].includes(hostOf(surroundings.baseUrl));
  return Promise.all(
    checks.map(async ({ name, title, section, needed, where, run }) => {
      const finding: Finding =
        where === 'host' && !isHost
          ? { status: 'skipped', detail: `the service is on ${hostOf(surroundings.baseUrl)}` }
          : await run(surroundings).catch(failed);
      return { name, title, section, needed, finding };
    }),
  );
}

/** True when nothing that is needed is missing. */
export function isUsable(diagnoses: readonly Diagnosis[]): boolean {
  return diagnoses.every(({ needed, finding }) => !needed || finding.status !== 'missing');
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : baseUrl;
}

function failed(error: unknown): Finding {
  const detail = error instanceof Error ? error.message : String(error);
  return { status: 'missing', detail, remedy: 'vc doctor --json' };
}
