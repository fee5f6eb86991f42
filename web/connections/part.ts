import type { PortalCallId } from '../../lib/contract/portal/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { ConnectionDetail } from '../../lib/contract/portal/work-responses.ts';
import type { Reply } from '../page/call.ts';
import type { Work } from '../page/doing.tsx';

/** The calls that change a connection, and respond with it. */
export type ChangeId = Extract<PortalCallId, `connection.${string}`> &
  {
    [Id in PortalCallId]: ResponseOf<Id> extends ConnectionDetail ? Id : never;
  }[PortalCallId];

/** What the parts of the page work with. */
export interface ConnectionPart {
  readonly w: string;
  readonly connection: ConnectionDetail;
  /** A change of what is shown: it is declined if somebody else was faster. */
  change<Id extends ChangeId>(
    id: Id,
    body: object,
    then?: (response: ResponseOf<Id>) => void,
  ): Work<ResponseOf<Id>>;
  /** Makes one; its response is what a next one is about. */
  send<Id extends ChangeId>(id: Id, body: object): Promise<Reply<ResponseOf<Id>>>;
}
