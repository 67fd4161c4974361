/** `1.4 GB`, in powers of 1000. */
export function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit += 1) value /= 1000;
  return `${value.toFixed(unit === 0 || value >= 100 ? 0 : 1)} ${units[unit]}`;
}

/** `512 MiB`, in powers of 1024, as memory is measured. */
export function memorySize(bytes: number): string {
  const mib = bytes / 2 ** 20;
  return mib < 1000 ? `${Math.round(mib)} MiB` : `${Number((mib / 1024).toFixed(1))} GiB`;
}
