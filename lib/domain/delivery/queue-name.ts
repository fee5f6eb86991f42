/** The name of a consumer's FIFO queue. */
export const queueName = (connection: string): string => `sombus-${connection}.fifo`;
