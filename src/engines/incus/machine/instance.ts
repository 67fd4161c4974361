/** Fields of an instance that are read. */
export interface Instance {
  readonly name: string;
  readonly status: string;
  /** Name of its member; `none` without a cluster. */
  readonly location: string;
  /** Null while its member cannot be reached. */
  readonly config: Readonly<Record<string, string>> | null;
  readonly devices?: Readonly<Record<string, Readonly<Record<string, string>>>> | null;
}
