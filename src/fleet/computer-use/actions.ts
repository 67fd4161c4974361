import type { MOUSE_BUTTONS, SCROLL_DIRECTIONS } from '../../contract/constants.js';

/** An item in the shape of a vendor. */
export type Item = Record<string, unknown>;

/** A point as the model named it, in the units of its call. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Keys that are held during a mouse action. */
interface Held {
  readonly keys?: readonly string[] | undefined;
}

/** What the text editor tool of a model does. */
export interface Edit {
  readonly command: 'view' | 'create' | 'str_replace' | 'insert';
  readonly path: string;
  readonly file_text?: string | undefined;
  readonly old_str?: string | undefined;
  readonly new_str?: string | undefined;
  readonly insert_line?: number | undefined;
  readonly insert_text?: string | undefined;
  readonly view_range?: readonly number[] | undefined;
}

/** What models ask for, whatever they call it. Without `at` an action is at the pointer. */
export type UseAction =
  | { readonly does: 'screenshot' }
  | { readonly does: 'zoom'; readonly from: Place; readonly to: Place }
  | { readonly does: 'cursor' }
  | ({ readonly does: 'move'; readonly at: Place } & Held)
  | ({
      readonly does: 'click';
      readonly at?: Place | undefined;
      readonly button: (typeof MOUSE_BUTTONS)[number];
      readonly clicks: number;
    } & Held)
  | { readonly does: 'mouse_down' | 'mouse_up'; readonly at?: Place | undefined }
  /** Without a second point from the pointer to the first. */
  | ({ readonly does: 'drag'; readonly points: readonly [Place, ...Place[]] } & Held)
  | ({
      readonly does: 'scroll';
      readonly at?: Place | undefined;
      readonly direction: (typeof SCROLL_DIRECTIONS)[number];
      readonly steps: number;
    } & Held)
  | ({
      readonly does: 'scroll_by';
      readonly at?: Place | undefined;
      readonly x: number;
      readonly y: number;
      /** Thousandths of the screen; pixels by default. */
      readonly unit?: 'thousandths' | undefined;
    } & Held)
  | { readonly does: 'type'; readonly text: string }
  | {
      readonly does: 'key';
      readonly key: string;
      readonly repeat?: number | undefined;
      readonly seconds?: number | undefined;
    }
  | { readonly does: 'key_down' | 'key_up'; readonly key: string }
  | { readonly does: 'wait'; readonly seconds: number }
  | { readonly does: 'bash'; readonly command: string }
  | { readonly does: 'edit'; readonly edit: Edit };

/** A picture for the model. */
export interface UsePicture {
  /** In base64. */
  readonly data: string;
  readonly mediaType: `image/${'png' | 'jpeg' | 'webp'}`;
}

/** What became of a call. */
export interface Outcome {
  readonly state: 'done' | 'failed' | 'skipped';
  /** What the model reads: of a failure what went wrong, otherwise the output of its actions. */
  readonly text?: string | undefined;
  readonly picture?: UsePicture | undefined;
  /** What the model has to know of the picture; it is in the text as well. */
  readonly notice?: string | undefined;
}

/** Something that a person has to confirm before the call is carried out. */
export interface SafetyCheck {
  readonly id: string;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

/** A call of a model, read from its item. */
export interface UseCall {
  /** Of the model's own; undefined for calls without one, which are never recognised again. */
  readonly id: string | undefined;
  /** Units of its points: pixels of the last picture, or shares of the screen out of `whole`. */
  readonly units: 'pixels' | { readonly last: number; readonly whole: number };
  /** What to do, or why that cannot be read. */
  readonly actions: readonly UseAction[] | { readonly error: string };
  readonly checks: readonly SafetyCheck[];
  /** Whether its answer has a picture of the screen after its actions. */
  readonly showsScreen: boolean;
  /** The result items for the model. */
  answer(outcome: Outcome): Item[];
}

/** Limits for pictures. */
export interface DialectLimits {
  /** Pixels of the longer edge at most. */
  readonly edge: number;
  /** Patches of 28x28 pixels at most. */
  readonly patches: number;
  /** Characters of a picture in base64 at most; a larger PNG becomes a JPEG. */
  readonly characters: number;
}

/** What a tool declaration is made from. */
export interface Facts {
  /** Size of a picture with the default size. */
  readonly picture: { readonly width: number; readonly height: number };
  readonly os: 'linux' | 'windows';
  /** Whether commands can run in the computer. */
  readonly hasShell: boolean;
}

/** How one vendor's models write calls and read results. */
export interface Dialect {
  readonly limits: DialectLimits;
  /** True for an item in the envelope that only this dialect has. */
  recognises(item: unknown): boolean;
  /** True for an item between calls, such as a text, which is no call. */
  isOther(item: unknown): boolean;
  /** Reads a call; undefined if the item is not one. Arguments that are wrong are an error of the call. */
  read(item: unknown): UseCall | undefined;
  /** The tools to declare to the model. */
  tools(facts: Facts): Item[];
}
