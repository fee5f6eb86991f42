import { signal } from '@preact/signals';

/** What a screen reader was told last. */
export const announced = signal('');

/** Tells whoever does not see the page what has changed on it. */
export const announce = (words: string): void => {
  // The same words again are no change, and would not be read.
  announced.value = words === announced.value ? `${words}\u00a0` : words;
};
