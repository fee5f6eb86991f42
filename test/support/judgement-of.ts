import type { Message } from '../../lib/messages/read-message.ts';
import { examine, type Judgement, judge, type KnownState } from '../../lib/publishing/verdict.ts';
import type { Connection } from '../../lib/registry/connection.ts';

/** A judgement, with the message where the body holds one that the connection may send. */
export type JudgementOf = Judgement & { readonly message?: Message };

/** What publishing and the dry run decide about a body when the ledger knows `state`. */
export const judgementOf = (bytes: Uint8Array, connection: Connection, state: KnownState): JudgementOf => {
  const examined = examine(bytes, connection);
  if (examined.kind === 'refused') return { kind: 'refuse', violations: examined.violations };
  return { ...judge(examined.message, state), message: examined.message };
};
