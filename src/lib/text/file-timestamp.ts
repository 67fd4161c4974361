/** `20250102-030405` in local time. */
export function fileTimestamp(now: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  const date = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('');
  return `${date}-${[now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('')}`;
}
