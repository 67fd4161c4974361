/** Keeps the desktop at its own size if the frame is only a little larger. */
export function fitDesktop(target: Element): void;
