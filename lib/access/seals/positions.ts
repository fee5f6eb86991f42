import type { Part } from '../../contract/outside.ts';
import type { Sealer } from './seal.ts';

/**
 * Where pages of one list begin and end, as clients see them: only what `seal` made opens, and only
 * for the same list.
 */
export interface Positions {
  seal(position: string): string;
  open(text: string): string | undefined;
}

/** @param list what it is a list of, and whose */
export const positionsOf = (sealer: Sealer, list: readonly string[]): Positions => {
  const context = { purpose: 'position', of: list } as const;
  return {
    seal: position => sealer.seal(context, position),
    open: text => sealer.open(context, text),
  };
};

export const noPosition =
  'after must be what an earlier page of this list gave as next, unchanged.';

/**
 * The part of a list that a client asks for; undefined if no page of this list gave it that
 * position.
 */
export const openPart = ({ open }: Positions, { after, max }: Part): Part | undefined => {
  if (after === undefined) return { max };
  const position = open(after);
  if (position === undefined) return undefined;
  return { after: position, max };
};

export const sealedNext = ({ seal }: Positions, next: string | undefined): { next?: string } =>
  next === undefined ? {} : { next: seal(next) };
