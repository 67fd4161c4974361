import type { MachinePlacement } from '../../engine.js';

/** The query that says where to create. LXD and Incus mark groups with an `@`. */
export function targetOf(placement: MachinePlacement | undefined): string {
  if (placement === undefined) return '';
  const target = 'member' in placement ? placement.member : `@${placement.group}`;
  return `?target=${encodeURIComponent(target)}`;
}
