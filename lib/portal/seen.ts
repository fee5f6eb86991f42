import { type LifePorts, lifeOf, lifeSeenBy, type MessageLife } from '../activity/message-life.ts';
import type { Connections } from '../registry/connection.ts';
import type { Invitations } from '../registry/invitations.ts';
import type { Members } from '../registry/members.ts';
import { visibleConnections } from './standing.ts';

export interface SeenPorts extends LifePorts {
  readonly connections: Pick<Connections, 'ofWorkspace'>;
  readonly members: Pick<Members, 'affiliationOf'>;
  readonly invitations: Pick<Invitations, 'guestOf'>;
}

type Looking = Parameters<typeof visibleConnections>[2] & {
  readonly subject: Readonly<Record<string, string>>;
};

/** Whose messages the caller sees; undefined: all. */
export const onlyOf = async (ports: SeenPorts, call: Looking): Promise<ReadonlySet<string> | undefined> =>
  call.standing.own === undefined
    ? new Set((await visibleConnections(ports, call.subject['w'] ?? '', call)).map(({ id }) => id))
    : undefined;

/** The life of a message as the caller may see it: a vendor through its own connections. */
export const seenLife = async (ports: SeenPorts, call: Looking): Promise<MessageLife | undefined> => {
  const { w = '', m = '' } = call.subject;
  const life = await lifeOf(ports)(w, m);
  if (!life || call.standing.own !== undefined) return life;
  const own = await visibleConnections(ports, w, call);
  return lifeSeenBy(life, new Set(own.map(({ id }) => id)));
};
