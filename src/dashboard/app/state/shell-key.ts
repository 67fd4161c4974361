/** The item of the session storage with the name of a shell: that of the terminal `number` of a computer. */
export function shellKey(id: string, number: number | string): string {
  return `shell:${id}:${number}`;
}
