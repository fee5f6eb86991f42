import type { Connection } from '../../lib/access/registry/connection.ts';
import { examine, type Judgement, judge } from '../../lib/bus/publishing/verdict.ts';
import { isSameContent } from '../../lib/platform/json/canonical-form.ts';
import type { Message } from '../../lib/som/messages/read-message.ts';
import type { StoryState } from '../../lib/som/stories/sequence-rules.ts';

/** A judgement, with the message where the body holds one that the connection may send. */
export type JudgementOf = Judgement & { readonly message?: Message };

/** What was accepted before: a message with the same id, and a story's last snapshot. */
export interface Before {
  readonly accepted?: Message | undefined;
  readonly story?: StoryState | undefined;
  /** Whether the sender may read that snapshot. */
  readonly readsLast?: boolean;
}

/** What publishing and the dry run decide about a body after what was accepted before. */
export const judgementOf = (
  bytes: Uint8Array,
  connection: Connection,
  { accepted, story, readsLast = true }: Before,
): JudgementOf => {
  const examined = examine(bytes, connection);
  if (examined.kind === 'refused') return { kind: 'refuse', violations: examined.violations };
  const { message } = examined;
  const known = accepted && {
    ...accepted,
    number: 1,
    attempt: 'earlier',
    sameContent: isSameContent(accepted.body, message.body),
  };
  return {
    ...judge(message, {
      ...(known ? { accepted: known } : {}),
      ...(story ? { story } : {}),
      readsLast,
    }),
    message,
  };
};
