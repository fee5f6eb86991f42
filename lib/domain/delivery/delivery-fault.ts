/** What stood in the way of a delivery, for a log: names only, nothing of a message. */
export interface DeliveryFault {
  readonly error: string;
  /** The queue that did not take an entry. */
  readonly queue?: string;
}

/** The name of whatever was thrown: a plain error's code where it has one, as the network's do. */
const nameOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return 'unknown';
  return thrown.name === 'Error' && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : thrown.name;
};

export const deliveryFault = (thrown: unknown, queue?: string): DeliveryFault => ({
  error: nameOf(thrown),
  ...(queue === undefined ? {} : { queue }),
});
