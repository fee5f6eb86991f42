import type { Violation } from '../contract/violation.ts';
import type { DeliveryFault } from '../domain/delivery/delivery-fault.ts';
import type { Message } from '../domain/message/message.ts';
import type { Refusal } from './refusal.ts';

/** What publishing and the dry run answer. The message is there for its identifiers, where the bytes had any. */
export type Verdict =
  | { readonly kind: 'accepted'; readonly message: Message; readonly tolerated: readonly Violation[] }
  | { readonly kind: 'duplicate'; readonly message: Message }
  | (Refusal & {
      readonly message?: Message;
      /** The last of what is behind a `bus.publish_failed`, for the log. */
      readonly fault?: DeliveryFault;
    });
