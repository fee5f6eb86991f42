import { type Declined, declined } from './declined.ts';

/** Why a connection cannot send as a system. */
export const ownedByAnother = (systemId: string): Declined =>
  declined(`The system_id "${systemId}" belongs to another app of this workspace.`);
