import type { ConnectionDetail, NotRecorded } from '../contract/work-responses.ts';
import { textOf } from '../json/value.ts';
import { noteOn } from '../registry/noting.ts';
import { type Declined, isDeclined } from '../registry/operator.ts';
import { declinedReply, portalRefusal, portalResponse, type Reply } from './browser.http.ts';
import type { Call } from './calls.http.ts';
import type { PortalPorts } from './ports.ts';
import {
  type ConnectionEntry,
  type ConnectionView,
  connectionDetail,
  isOwnSide,
  ownersOf,
  viewConnection,
} from './standing.ts';

/** What was changed: `facts` are recorded, `more` is answered with the connection. */
export interface Done<More extends object> {
  readonly kind: 'done';
  readonly facts?: Readonly<Record<string, string>>;
  readonly more: More;
  /** The connection after the change, if a read that fails must not hide what is in `more`. */
  readonly entry?: ConnectionEntry;
}

export const done = (facts: Readonly<Record<string, string>> = {}): Done<object> => ({
  kind: 'done',
  facts,
  more: {},
});

/** The name of a change in the record, and whether the host of the workspace may make it to a vendor's connection. */
interface ChangeName {
  readonly what: string;
  readonly alsoByHost?: true;
}

export const notYours =
  'This connection belongs to a vendor. The house can pause, resume and revoke it; the vendor does everything else.';

type Owners = Awaited<ReturnType<typeof ownersOf>>;

/** The owners of the connection of a call, if the caller may change it; undefined otherwise. */
export const changeable = async (ports: PortalPorts, call: Call): Promise<Owners | undefined> => {
  const owners = await ownersOf(ports, call);
  return isOwnSide(call.standing, owners, 'editor') ? owners : undefined;
};

interface Noted {
  readonly what: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly owners: Owners;
}

/** Records what was done with the connection of a call, for its organisation and the host. */
export const noteHere = (
  ports: PortalPorts,
  call: Call,
  { what, facts, owners }: Noted,
): Promise<NotRecorded> => {
  const of = { connection: call.subject['c'] ?? '', organisations: [owners.organisation, owners.host] };
  return noteOn(ports, call, { what, of, facts });
};

/**
 * A change of an existing connection: declined if somebody else changed it after the person looked at it, recorded when it is done,
 * and answered with the connection as it is then.
 */
export const changeOf =
  <More extends object>(
    { what, alsoByHost }: ChangeName,
    change: (ports: PortalPorts, call: Call, view: ConnectionView) => Promise<Declined | Done<More>>,
  ) =>
  async (ports: PortalPorts, call: Call): Promise<Reply<ConnectionDetail & More>> => {
    const { subject, standing, body } = call;
    const { c = '' } = subject;
    const seen = textOf(body, 'version');
    if (seen === '') return portalRefusal('request.invalid');
    const view = await viewConnection(ports, c, standing);
    if (!view) return portalRefusal('portal.not_found');
    const { organisation } = view.entry.connection;
    const { host } = view.around;
    if (!alsoByHost && !isOwnSide(standing, { organisation, host }, 'editor'))
      return portalRefusal('access.denied', notYours);
    if (view.detail.version !== seen) return portalRefusal('portal.changed');
    const result = await change(ports, call, view);
    if (isDeclined(result)) return declinedReply(result);
    const of = { connection: c, organisations: [organisation, host] };
    const noted = await noteOn(ports, call, { what, of, ...(result.facts ? { facts: result.facts } : {}) });
    const detail = result.entry
      ? connectionDetail(result.entry, view.around)
      : ((await viewConnection(ports, c, standing)) ?? view).detail;
    return portalResponse({ ...detail, ...result.more, ...noted });
  };
