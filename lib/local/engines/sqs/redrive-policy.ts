import { invalidParameter } from './sqs-error.ts';

export interface RedrivePolicy {
  /** The name of the queue that takes what could not be processed. */
  readonly queue: string;
  readonly maxReceiveCount: number;
}

/** Reads the RedrivePolicy attribute (AWS docs, "Using dead-letter queues in Amazon SQS"). */
export function redrivePolicyOf(text: string): RedrivePolicy {
  const { deadLetterTargetArn, maxReceiveCount } = parsed(text);
  const queue =
    typeof deadLetterTargetArn === 'string'
      ? /^arn:aws:sqs:[^:]*:\d{12}:(.+)$/.exec(deadLetterTargetArn)?.[1]
      : undefined;
  if (queue === undefined) throw refused(text, 'Invalid value for deadLetterTargetArn.');
  if (!queue.endsWith('.fifo'))
    throw refused(text, 'Dead-letter queue must be same type of queue as the source.');
  const count = Number(maxReceiveCount);
  if (!Number.isInteger(count) || count < 1 || count > 1000) {
    throw refused(text, 'Invalid value for maxReceiveCount: must be between 1 and 1000.');
  }
  return { queue, maxReceiveCount: count };
}

function parsed(text: string): { deadLetterTargetArn?: unknown; maxReceiveCount?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Refused below, like JSON of another shape.
  }
  throw refused(text, 'Redrive policy is not a valid JSON map.');
}

const refused = (text: string, reason: string) => invalidParameter('RedrivePolicy', text, reason);
