import { limits } from '../../contract/limits.ts';

/**
 * The delay that a queue will accept for a message it handed out: SQS counts its twelve hours from the receive, and refuses
 * what ends later (AWS docs, ChangeMessageVisibility).
 *
 * @param askedSeconds what the consumer wishes
 * @param heldMilliseconds since the message was handed out
 */
export const releaseDelay = (askedSeconds: number, heldMilliseconds: number): number => {
  const held = Math.ceil(Math.max(0, heldMilliseconds) / 1000);
  const most = limits.nackDelaySeconds.most - limits.releaseMarginSeconds - held;
  return Math.max(0, Math.min(askedSeconds, most));
};
