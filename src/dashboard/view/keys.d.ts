import type RFB from '@novnc/novnc';

export interface Keys {
  readonly showKeyboard: () => void;
}

export function isComposed(event: Pick<KeyboardEvent, 'key' | 'keyCode' | 'isComposing'>): boolean;
export function typed(value: string): { readonly text: string; readonly deletes: boolean };
export function partsOf(text: string): readonly string[];
export function takeKeys(element: HTMLElement, rfb: RFB, sendText: (text: string) => void): Keys;
