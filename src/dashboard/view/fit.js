/** Up to this factor a desktop is shown at its own size: sharper than enlarged a little. */
const ENLARGE_FROM = 1.5;

/**
 * Keeps the desktop at its own size if the window is only a little larger; otherwise noVNC fits it
 * into `target`.
 */
export function fitDesktop(target) {
  const canvas = target.querySelector('canvas');
  const frame = target.parentElement;
  const adapt = () => {
    const { width, height } = canvas;
    const style = getComputedStyle(frame);
    const room = {
      width: frame.clientWidth - parseFloat(style.paddingLeft) * 2,
      height: frame.clientHeight - parseFloat(style.paddingTop) * 2,
    };
    const scale = Math.min(room.width / width, room.height / height);
    const keeps = scale > 1 && scale < ENLARGE_FROM;
    target.style.maxWidth = keeps ? `${width}px` : '';
    target.style.maxHeight = keeps ? `${height}px` : '';
  };
  new ResizeObserver(adapt).observe(frame);
  new MutationObserver(adapt).observe(canvas, { attributeFilter: ['width', 'height'] });
  adapt();
}
