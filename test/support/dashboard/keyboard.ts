import type { Locator, Page } from 'playwright-core';

/** Presses of Tab until the test gives up: more than a page has stops. */
const MOST_STOPS = 120;

/** Presses Tab until the element has the focus. Fails when the keyboard does not reach it. */
export async function tabTo(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.waitFor();
  const page = target.page();
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    if (await isFocused(target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`the keyboard does not reach ${target}`);
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element.ownerDocument.activeElement === element);
}

/** Goes to the element by keyboard and presses a key on it. */
export async function pressOn(target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press(key);
}

/** Goes to a page of the navigation by keyboard. */
export async function goTo(page: Page, name: string): Promise<void> {
  await pressOn(
    page.getByRole('navigation', { name: 'Pages' }).first().getByRole('link', { name }),
  );
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Chooses from a menu by keyboard: its button, then the arrow keys. */
export async function choose(page: Page, menu: string, item: string): Promise<void> {
  await pressOn(page.getByRole('button', { name: menu, exact: true }));
  const target = page.getByRole('menuitem', { name: item });
  await target.waitFor();
  for (let step = 0; step < 20; step += 1) {
    await page.keyboard.press('ArrowDown');
    if (await isFocused(target)) return page.keyboard.press('Enter');
  }
  throw new Error(`the arrow keys do not reach ${item}`);
}
