import { type Bus, type ConsumeOptions, NoResponse, type SomMessage } from '../client/index.ts';

/** After so long, what did not succeed is tried again. */
export const retrySeconds = 2;

interface Answering extends ConsumeOptions {
  readonly signal: AbortSignal;
  /**
   * Resolves with whether all that answers the message is on the bus; if not, the message comes
   * again. While this runs, no later message of its correlation comes.
   */
  answer(message: SomMessage): Promise<boolean>;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/**
 * Answers what comes to a consumer, until the signal. A bus that is away for a while ends nothing:
 * what was in hand comes again.
 *
 * @throws ConsumerRefused when the bus refuses the connection
 */
export const answerMessages = async (
  consumer: Bus,
  { answer, sleep, ...options }: Answering,
): Promise<void> => {
  const { signal } = options;
  while (!signal.aborted) {
    try {
      for await (const delivery of consumer.consume(options)) {
        // What was answered is acknowledged with others, by the next request for a message.
        const isAnswered = await answer(delivery.message);
        if (!isAnswered) await delivery.release(retrySeconds);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NoResponse)) throw error;
      await sleep(retrySeconds * 1000, signal);
    }
  }
};
