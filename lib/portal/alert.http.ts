import {
  type Alert,
  type AlertChoice,
  alertChanged,
  changeAlert,
  type Mailbox,
  makeAlert,
  stateToTell,
} from '../alerts/alerts.ts';
import { testEvent } from '../alerts/due.ts';
import { tell } from '../alerts/mail.ts';
import { type AlertResponse, alertKindNames, alertLimits } from '../contract/alerts.ts';
import { limits } from '../contract/limits.ts';
import { fitting, iso, partOf, randomName } from '../contract/outside.ts';
import { includesRole, type Role } from '../contract/portal.ts';
import { portalPages } from '../contract/portal-pages.ts';
import { textOf } from '../json/value.ts';
import { noteChange } from '../registry/noting.ts';
import { type Declined, declined, isDeclined } from '../registry/operator.ts';
import { notActive } from '../registry/organisations.ts';
import { declinedReply, ownUrl, portalRefusal, portalResponse, type Reply } from './browser.http.ts';
import type { Call, CallHandler, CallService } from './calls.http.ts';
import { partIn } from './lists.http.ts';
import type { PortalPorts } from './ports.ts';
import { hostOf, standingAt } from './standing.ts';

/** An organisation of the person's that is at home in a workspace, or a guest there. */
interface Side {
  readonly organisation: string;
  readonly role: Role;
  readonly isGuest: boolean;
}

const sidesOf = async (
  { directory, members }: PortalPorts,
  { person, subject: { w = '' } }: Call,
): Promise<readonly Side[]> => {
  const [host, vendors, { roles }] = await Promise.all([
    hostOf({ directory }, w),
    members.vendorsOf(w),
    person ? members.affiliationOf(person) : { roles: [] },
  ]);
  return roles
    .filter(({ organisation }) => organisation === host || vendors.includes(organisation))
    .map(one => ({ ...one, isGuest: one.organisation !== host }));
};

const isOwner = ({ role }: Side): boolean => includesRole(role, 'owner');

const addressOf = ({ to }: Alert): string => ('email' in to ? to.email : new URL(to.url).host);

const alertRecord = (alert: Alert, mayChange = true): AlertResponse => {
  const { state, to, connection } = alert;
  const isMail = 'email' in to;
  const { at, problem } = state.last ?? {};
  return {
    alert_id: alert.id,
    organisation_id: alert.organisation,
    kind: alert.kind,
    threshold: alert.threshold,
    ...(connection === undefined ? {} : { connection_id: connection }),
    by: isMail ? 'email' : 'webhook',
    to: addressOf(alert),
    ...(mayChange && !isMail ? { url: to.url } : {}),
    created_at: alert.createdAt,
    raised: state.raised,
    pending: state.deliveries.length,
    ...(at === undefined ? {} : { last: { at: iso(at), ...(problem === undefined ? {} : { problem }) } }),
  };
};

const list: CallHandler<'alert.list'> = async (ports, call) => {
  const sides = await sidesOf(ports, call);
  const all = await Promise.all(
    sides.map(async side =>
      (await ports.alerts.of(side.organisation, call.subject['w'] ?? '')).map(alert =>
        alertRecord(alert, isOwner(side)),
      ),
    ),
  );
  const idOf = ({ alert_id }: AlertResponse) => alert_id;
  const page = fitting(partOf(all.flat(), partIn(call, limits.portalPage), idOf), idOf);
  const makers = await Promise.all(
    sides.filter(isOwner).map(async ({ organisation: id }) => ({
      organisation_id: id,
      name: (await ports.directory.find('organisation', id))?.name ?? id,
    })),
  );
  const { entries: alerts, ...more } = page;
  const email = ports.mails.isOn ? call.person?.email : undefined;
  return portalResponse({ alerts, makers, ...(email === undefined ? {} : { email }), ...more });
};

const choiceIn = ({ body, settings }: Call, to?: Mailbox): AlertChoice => ({
  threshold: typeof body['threshold'] === 'number' ? body['threshold'] : Number.NaN,
  to: to ?? { url: textOf(body, 'url').trim() },
  insecureLocal: settings.isLocal === true,
});

/** Notes what a person did to an alert, without its URL, which may name a secret of its host, and without an e-mail address. */
const note = (ports: PortalPorts, { person }: Call, what: string, alert: Alert) => {
  const { organisation, workspace, id, kind, threshold } = alert;
  const to = 'email' in alert.to ? 'email' : addressOf(alert);
  const facts = { workspace, alert: id, kind, threshold: `${threshold}`, to };
  return noteChange(ports, person, { organisation, what, facts });
};

/** Why an alert of an organisation is quiet: that one or the house of the workspace is suspended, or closed. */
const stopped = async (
  ports: PortalPorts,
  { organisation, workspace }: Pick<Alert, 'organisation' | 'workspace'>,
): Promise<Declined | undefined> =>
  notActive(ports, organisation, (await hostOf(ports, workspace)) ?? organisation);

const noMail = declined('This bus sends no e-mail: choose a webhook.');
const noAddress = declined(
  'Your identity provider has verified no e-mail address of yours: verify one there and sign in again, or choose a webhook.',
);

/** Where the e-mails go that somebody asks for: to his own verified address, and nobody else's. */
const mailboxOf = (
  { mails }: PortalPorts,
  { person, request, settings, subject }: Call,
): Mailbox | Declined => {
  if (!mails.isOn) return noMail;
  if (person?.email === undefined) return noAddress;
  const { email, issuer, subject: name } = person;
  const page = ownUrl(request, settings) + portalPages.alerts.replace('{w}', subject['w'] ?? '');
  return { email, person: { issuer, subject: name }, page };
};

const make: CallHandler<'alert.make'> = async (ports, call) => {
  const { body, subject } = call;
  const { w = '' } = subject;
  const kind = alertKindNames.find(name => name === textOf(body, 'kind'));
  if (!kind) return portalRefusal('request.invalid');
  const named = textOf(body, 'organisation_id');
  const side = (await sidesOf(ports, call)).find(
    one => isOwner(one) && (named === '' || one.organisation === named),
  );
  if (!side) return portalRefusal('access.denied');
  const { organisation, isGuest } = side;
  const connection = textOf(body, 'connection_id') || undefined;
  const found = connection === undefined ? undefined : await ports.connections.find(connection);
  const isSeen =
    found?.connection.workspace === w && (!isGuest || found.connection.organisation === organisation);
  if (connection !== undefined && !isSeen) return portalRefusal('portal.not_found');
  const wanted = {
    organisation,
    workspace: w,
    kind,
    isGuest,
    ...(connection === undefined ? {} : { connection }),
  };
  const mailbox = textOf(body, 'by') === 'email' ? mailboxOf(ports, call) : undefined;
  if (isDeclined(mailbox)) return declinedReply(mailbox);
  const made = (await stopped(ports, wanted)) ?? (await makeAlert(ports, wanted, choiceIn(call, mailbox)));
  if (isDeclined(made)) return declinedReply(made);
  const noted = await note(ports, call, 'alert.make', made);
  const { to } = made;
  return portalResponse({ ...alertRecord(made), ...('secret' in to ? { secret: to.secret } : {}), ...noted });
};

/** A call about an alert of an organisation that the person is an owner of. */
const about =
  (
    what: string | undefined,
    handle: (ports: PortalPorts, alert: Alert, call: Call) => Promise<Alert | Declined>,
  ) =>
  async (ports: PortalPorts, call: Call): Promise<Reply<AlertResponse>> => {
    const { w: workspace = '', l: id = '' } = call.subject;
    const owned = (await sidesOf(ports, call)).filter(isOwner);
    const found = await Promise.all(
      owned.map(({ organisation }) => ports.alerts.find({ organisation, workspace, id })),
    );
    const alert = found.find(one => one !== undefined);
    if (!alert) return portalRefusal('portal.not_found');
    const handled = await handle(ports, alert, call);
    if (isDeclined(handled)) return declinedReply(handled);
    const noted = what === undefined ? {} : await note(ports, call, what, handled);
    return portalResponse({ ...alertRecord(handled), ...noted });
  };

/** Sends an event at once. The time is noted before, on condition: however often somebody asks, a host is called once in a while. */
const test = async (ports: PortalPorts, alert: Alert): Promise<Alert | Declined> => {
  const { alerts, clock, ids } = ports;
  const quiet = await stopped(ports, alert);
  if (quiet) return quiet;
  const { testSeconds } = alertLimits;
  const now = clock.now();
  if (now - (alert.state.testedAt ?? 0) < testSeconds * 1000)
    return declined(`This alert was tested less than ${testSeconds} seconds ago.`);
  const begun = stateToTell(alert, now);
  if (!begun) return declined(`This alert has sent its ${alertLimits.mailsPerDay} e-mails of today.`);
  const claimed = await alerts.save({ ...alert, state: { ...begun, testedAt: now } });
  if (!claimed) return alertChanged;
  const delivery = { id: `msg_${randomName(ids)}`, event: testEvent(alert, now) };
  const { problem } = await tell(ports, { alert, delivery, now });
  const failed = 'email' in alert.to ? 'The test was not sent' : 'The webhook did not accept the test';
  if (problem !== undefined) return declined(`${failed}: ${problem}.`);
  return { ...claimed, state: { ...claimed.state, last: { at: now } } };
};

/** `/api/alert/…`: what owners of an organisation are told. */
export const alertCalls: CallService<'alert'> = {
  standingOf: standingAt,
  handlers: {
    'alert.list': list,
    'alert.make': make,
    'alert.change': about(
      'alert.change',
      async (ports, alert, call) =>
        (await stopped(ports, alert)) ?? changeAlert(ports, alert, choiceIn(call)),
    ),
    'alert.test': about(undefined, test),
    'alert.delete': about('alert.delete', async ({ alerts }, alert) =>
      (await alerts.remove(alert)) ? alert : alertChanged,
    ),
  },
};
