/** Why an operator's command was declined. */
export interface Declined {
  readonly kind: 'declined';
  /** A sentence for the operator. */
  readonly reason: string;
}

export const declined = (reason: string): Declined => ({ kind: 'declined', reason });

/** There is no such connection, or it is revoked. */
export const noConnection = (id: string): Declined =>
  declined(`There is no connection ${id}, or it is revoked.`);
