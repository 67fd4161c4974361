import type { Store } from '../store/index.js';
import type { ComputerRecord } from '../store/records.js';

/** Where locales are that the image has not. The C library looks there as well as in its own. */
export const LOCALES = '/home/user/.local/share/vc/locale';
/** Built into the C library. */
const BUILT_IN = 'C.UTF-8';

/** Whether a locale has to be made in the computer. */
export function isToMake(locale: string | null): locale is string {
  return locale !== null && locale !== BUILT_IN;
}

/** Variables of programs that users start; those that were given win. */
export function variablesOf(
  record: Pick<ComputerRecord, 'owner_id' | 'env' | 'timezone' | 'locale'>,
  store: Pick<Store, 'setups'>,
): Record<string, string> {
  const { timezone, locale } = record;
  return {
    ...(timezone === null ? {} : { TZ: timezone }),
    ...(locale === null ? {} : { LANG: locale }),
    ...(isToMake(locale) ? { LOCPATH: LOCALES } : {}),
    ...store.setups.env(record),
  };
}
