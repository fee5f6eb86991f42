import { limitSentence, type Slot } from '../../contract/bounds.ts';

export interface Declined {
  readonly kind: 'declined';
  readonly reason: string;
  readonly canForce?: true;
  readonly isChanged?: true;
  readonly isLimit?: true;
}

export const declined = (reason: string, canForce = false): Declined => ({
  kind: 'declined',
  reason,
  ...(canForce && { canForce }),
});

/** Nothing was done, because somebody else was faster. */
export const changed = (reason: string): Declined => ({ ...declined(reason), isChanged: true });

interface FullBound {
  readonly slot: Slot;
  readonly max: number;
}

export const limitReached = ({ slot, max }: FullBound): Declined => ({
  ...declined(limitSentence(slot, max)),
  isLimit: true,
});

/** What came of a write within bounds. */
export const unlessFull = async (
  written: Promise<FullBound | undefined>,
): Promise<Declined | undefined> => {
  const full = await written;
  return full && limitReached(full);
};

export const isDeclined = (result: unknown): result is Declined =>
  typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'declined';

export const noConnection = (id: string): Declined =>
  declined(`There is no connection ${id}, or it is revoked or suspended.`);
