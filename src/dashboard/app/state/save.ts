/** Saves data as a file of the person's choice or the browser's download folder. */
export function save(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  saveFrom(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Lets the browser download an address of the service. */
export function saveFrom(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
