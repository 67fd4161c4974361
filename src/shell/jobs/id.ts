import { randomBytes } from 'node:crypto';

/** A new job id; ids sort by time. */
export function newJobId(): string {
  const time = Date.now().toString(36).padStart(9, '0');
  return `job_${time}${randomBytes(4).toString('hex')}`;
}

/** True for a text that {@link newJobId} can return. */
export function isJobId(text: string): boolean {
  return /^job_[0-9a-z]{17}$/.test(text);
}
