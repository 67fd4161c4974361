import type { CheckResult } from '../../engines/descriptor.js';
import type { Environment } from '../../profile/index.js';
import { reportOf } from '../errors/report.js';

export const ok = (detail: string): CheckResult => ({ status: 'ok', detail });
export const missing = (detail: string, remedy: string): CheckResult => {
  return { status: 'missing', detail, remedy };
};

/** Where checks look; a test puts its own in place. */
export interface Surroundings {
  readonly env: Environment;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly socketPath?: string | undefined;
  readonly ca?: string | undefined;
  readonly stateDirectory: string;
  readonly user: { readonly name: string; readonly isRoot: boolean };
  readonly signal: AbortSignal;
}

export interface Check {
  readonly name: string;
  readonly title: string;
  /** `vc`, or the name of an engine, of which one is enough. */
  readonly section: string;
  /** Is vc unusable without it? */
  readonly needed: boolean;
  /** `host`: skipped where the service runs on another machine. */
  readonly where: 'host' | 'client';
  run(surroundings: Surroundings): Promise<CheckResult>;
}

export interface Diagnosis {
  readonly name: string;
  readonly title: string;
  /** `vc`, or the name of an engine, of which one is enough. */
  readonly section: string;
  readonly needed: boolean;
  readonly finding: CheckResult;
}

/** Runs the checks in parallel and keeps their order; a check that throws counts as missing. */
export function diagnose(
  checks: readonly Check[],
  surroundings: Surroundings,
): Promise<Diagnosis[]> {
  const isHost = ['127.0.0.1', 'localhost', '[::1]'].includes(hostOf(surroundings.baseUrl));
  return Promise.all(
    checks.map(async ({ name, title, section, needed, where, run }) => {
      const finding: CheckResult =
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

/** What is to be done: problems of vc itself, and of the engines that are set up. */
export function problemsOf(diagnoses: readonly Diagnosis[]): Diagnosis[] {
  const unusable = unusableEngines(diagnoses);
  return diagnoses.filter(
    ({ section, finding: { status } }) =>
      (status === 'missing' || status === 'stale') && !unusable.includes(section),
  );
}

/** The engines that cannot be used, or have no image. */
export function unusableEngines(diagnoses: readonly Diagnosis[]): string[] {
  const failed = diagnoses.filter(
    ({ name, section, finding }) =>
      (name === section || name === `${section}-images`) && finding.status === 'missing',
  );
  return [...new Set(failed.map(({ section }) => section))];
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : baseUrl;
}

function failed(error: unknown): CheckResult {
  const { message: detail, remedy = 'vc doctor --json' } = reportOf(error);
  return { status: 'missing', detail, remedy };
}
