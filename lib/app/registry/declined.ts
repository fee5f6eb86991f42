/** Why an operator's command was declined. */
export interface Declined {
  readonly kind: 'declined';
  /** A sentence for the operator. */
  readonly reason: string;
}

export const declined = (reason: string): Declined => ({ kind: 'declined', reason });
