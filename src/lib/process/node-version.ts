/** The first version of each release line in which names of a JSON text cannot be chosen to collide. */
const FIXED = { 20: '20.20.2', 22: '22.22.2', 24: '24.14.1', 25: '25.8.2' } as const;

/**
 * Whether this version of Node.js has CVE-2026-21717: names in one body that the service parses can
 * be chosen so that it stands still for minutes.
 */
export function hasHashCollisions(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, '').split('.').map(Number);
  if (major > 25) return false;
  const fixed = FIXED[major as keyof typeof FIXED] as string | undefined;
  if (fixed === undefined) return true;
  const [, leastMinor = 0, leastPatch = 0] = fixed.split('.').map(Number);
  return minor < leastMinor || (minor === leastMinor && patch < leastPatch);
}

export const FIXED_VERSIONS = Object.values(FIXED).join(', ');
