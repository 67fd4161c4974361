import type { Locator, Page } from 'playwright-core';

/** Would run as code, break out of an attribute, and reverse the text after it. */
export const HOSTILE = '"><img src=x onerror=alert(1)>\u202e{{7*7}}';

/** Parts of the web page that several tests use. */
export function partsOf(page: Page) {
  const dialog = () => page.getByRole('dialog');
  return {
    dialog,
    heading: (name: string): Locator => page.getByRole('heading', { level: 1, name }),
    row: (name: string): Locator => page.getByRole('row').filter({ hasText: name }),
    tile: (name: string): Locator => page.getByRole('listitem').filter({ hasText: name }),
    /** Presses a button or link by mouse. */
    click: (name: string, role: 'button' | 'link' = 'button') =>
      page.getByRole(role, { name, exact: true }).click(),
    /** Presses a button of the open dialog by mouse. */
    confirm: (name: string) => dialog().getByRole('button', { name, exact: true }).click(),
    /** Chooses from a menu by mouse. */
    chooseBy: async (menu: string, item: string) => {
      await page.getByRole('button', { name: menu, exact: true }).click();
      await page.getByRole('menuitem', { name: item }).click();
    },
    /** The text of the browser's clipboard. */
    clipboard: () => page.evaluate('navigator.clipboard.readText()') as Promise<string>,
    live: () => page.locator('.screen[data-state="live"]').waitFor(),
  };
}

/** Drops a file on the files of a computer, as a person does who drags it from a folder. */
export async function dropFile(page: Page, name: string, text: string): Promise<void> {
  await page.locator('.drop').evaluate(
    (area, file) => {
      const view = area.ownerDocument.defaultView as unknown as typeof globalThis & {
        DataTransfer: new () => { items: { add(file: File): void } };
        DragEvent: new (type: string, options: object) => Event;
      };
      const dataTransfer = new view.DataTransfer();
      dataTransfer.items.add(new view.File([file.text], file.name));
      for (const type of ['dragenter', 'dragover', 'drop']) {
        area.dispatchEvent(
          new view.DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
        );
      }
    },
    { name, text },
  );
}

/** Downloads the file behind a link; `press` presses it. */
export async function downloaded(page: Page, press: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Logs in with a one-time link. */
export async function logIn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}
