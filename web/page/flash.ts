import { cell } from './cell.ts';

/** A success, or something that came by itself. */
export interface Flash {
  readonly id: number;
  readonly type: 'success' | 'warning' | 'info';
  readonly text: string;
}

let count = 0;

/** How long a success stays. */
const shownMilliseconds = 8_000;

export const flashes = cell<readonly Flash[]>([]);

export const dismiss = (id: number): void => {
  flashes.value = flashes.value.filter(one => one.id !== id);
};

/** Says above the page that something is done; a success goes by itself. */
export const flash = (text: string, type: Flash['type'] = 'success'): void => {
  count += 1;
  const id = count;
  flashes.value = [...flashes.value, { id, type, text }];
  if (type === 'success') setTimeout(() => dismiss(id), shownMilliseconds);
};
