import { signal } from '@preact/signals';

/** False while the page is in a hidden tab. */
export const isVisible = signal(document.visibilityState === 'visible');

document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible';
});
