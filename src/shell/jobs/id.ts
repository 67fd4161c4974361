import { randomBytes } from 'node:crypto';

/** A new job id; ids sort by time. */
export function newJobId(): string {
  const time = Date.now().toString(36).padStart(9, '0');
  return `job_${time}${randomBytes(4).toString('hex')}`;
}

/** The job of the script that sets up a new computer. */
export const SETUP_JOB = 'setup';

/** True for a text that {@link newJobId} can return, and for {@link SETUP_JOB}. */
export function isJobId(text: string): boolean {
  return text === SETUP_JOB || /^job_[0-9a-z]{17}$/.test(text);
}
