import type { Clock } from '../contract/outside.ts';
import type { ConnectionDetail } from '../contract/work-answers.ts';
import { textOf } from '../json/value.ts';
import type { Changes } from '../registry/changes.ts';
import { type Declined, isDeclined } from '../registry/operator.ts';
import { portalAnswer, portalRefusal, type Reply } from './browser.http.ts';
import type { Call } from './calls.http.ts';
import { noteChange } from './organisation.http.ts';
import { type ConnectionView, isOwnSide, type ViewPorts, viewConnection } from './place.ts';

/** What every change of a connection needs. */
export interface ChangePorts extends ViewPorts {
  readonly clock: Clock;
  readonly changes: Pick<Changes, 'note'>;
}

/** What was changed: `facts` are recorded, `more` is answered with the connection. */
export interface Done<More extends object> {
  readonly kind: 'done';
  readonly facts?: Readonly<Record<string, string>>;
  readonly more: More;
}

export const done = (facts: Readonly<Record<string, string>> = {}): Done<object> => ({
  kind: 'done',
  facts,
  more: {},
});

/** Records a change of a connection, where its own organisation sees it and where that of its workspace does. */
export const noteOn = async (
  ports: Pick<ChangePorts, 'clock' | 'changes'>,
  { person, subject: { w = '' } }: Call,
  {
    what,
    of,
    facts,
  }: {
    readonly what: string;
    readonly of: { readonly connection: string; readonly organisations: readonly string[] };
    readonly facts?: Readonly<Record<string, string>>;
  },
): Promise<void> => {
  for (const organisation of new Set(of.organisations)) {
    const told = { workspace: w, connection: of.connection, ...facts };
    await noteChange(ports, person, { organisation, what, facts: told });
  }
};

/** The name of a change in the record, and whether the host of the workspace may make it to a vendor's connection. */
interface ChangeName {
  readonly what: string;
  readonly alsoByHost?: true;
}

/** What the house is told that wants to act as a vendor. */
export const notYours =
  'This connection belongs to a vendor. The house can pause, resume and revoke it; the vendor does everything else.';

/**
 * A change of an existing connection: declined if somebody else changed it after the person looked at it, recorded when it is done,
 * and answered with the connection as it is then.
 */
export const changeOf =
  <More extends object>(
    ports: ChangePorts,
    { what, alsoByHost }: ChangeName,
    change: (call: Call, view: ConnectionView) => Promise<Declined | Done<More>>,
  ) =>
  async (call: Call): Promise<Reply<ConnectionDetail & More>> => {
    const { subject, standing, body } = call;
    const { c = '' } = subject;
    const seen = textOf(body, 'version');
    if (seen === '') return portalRefusal('request.invalid');
    const view = await viewConnection(ports, c, standing);
    if (!view) return portalRefusal('portal.not_found');
    const { organisation } = view.entry.connection;
    if (!alsoByHost && !isOwnSide(standing, { organisation, host: view.host }, 'editor'))
      return portalRefusal('access.denied', notYours);
    if (view.detail.version !== seen) return portalRefusal('portal.changed');
    const result = await change(call, view);
    if (isDeclined(result)) return portalRefusal('portal.declined', result.reason);
    const of = { connection: c, organisations: [organisation, view.host] };
    await noteOn(ports, call, { what, of, ...(result.facts ? { facts: result.facts } : {}) });
    const { detail } = (await viewConnection(ports, c, standing)) ?? view;
    return portalAnswer({ ...detail, ...result.more });
  };
