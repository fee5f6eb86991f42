import type { Checkout } from './checkout.ts';

/** What the issue asks of a figure. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** One measured number. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly goal?: Goal;
}

export interface Settings {
  /** Of a slice under load. */
  readonly seconds: number;
  /** Of 200 publishes a second, with a burst in the middle. */
  readonly steadySeconds: number;
  /** Messages that wait for a consumer. */
  readonly waiting: number;
  readonly archived: number;
  /** Of a soak; 0: none. */
  readonly minutes: number;
  /** Publishes a second of a soak. */
  readonly rate: number;
}

/** A few rows of the table, measured on a new data folder. */
export interface Measure {
  readonly name: string;
  /** Whether it is short enough to be repeated in turns; the others are measured once on each side. */
  readonly isShort: boolean;
  measure(checkout: Checkout, settings: Settings): Promise<readonly Figure[]>;
}

export const isMet = ({ value, goal }: Figure): boolean => {
  if (goal === undefined || !Number.isFinite(value)) return true;
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
};
