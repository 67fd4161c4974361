/** Begins the names of the labels that `vc up` sets, by which it knows its computers. */
export const LABEL_PREFIX = 'vc.';

export const UP = {
  /** Name of the computer. A copy or a renamed computer has another name, and is not the file's. */
  name: 'vc.up',
  /** Digest of the options that cannot be changed. */
  config: 'vc.config',
  /** Digest of the variables, whose values the service never shows. */
  env: 'vc.env',
  /** `expires_in` of the file. */
  expires: 'vc.expires',
  /** Set if `vc up` has created the project too. */
  project: 'vc.project',
} as const;

export const OWN_LABELS = Object.keys(UP).length;

interface Labelled {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Whether `vc up` made the computer. */
export function isOfFile({ name, labels }: Labelled): boolean {
  return labels[UP.name] === name;
}
