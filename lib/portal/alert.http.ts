import type { ChangeName } from '../access/people/noting.ts';
import { notActive } from '../access/people/organisations.ts';
import { type Declined, declined, isDeclined } from '../access/registry/declined.ts';
import { limits } from '../contract/limits.ts';
import { defined, iso, randomName } from '../contract/outside.ts';
import { type AlertResponse, alertKindNames, alertLimits } from '../contract/portal/alerts.ts';
import { includesRole, type Role } from '../contract/portal/portal.ts';
import { portalPages } from '../contract/portal/portal-pages.ts';
import { textOf } from '../platform/json/value.ts';
import {
  type Alert,
  type AlertChoice,
  alertChanged,
  changeAlert,
  type Mailbox,
  makeAlert,
  stateToTell,
} from './alerts/alerts.ts';
import { testEvent } from './alerts/due.ts';
import { tell } from './alerts/mail.ts';
import { invalidRequest, ownUrl, portalRefusal } from './browser.http.ts';
import { type Call, type CallHandlers, type Handler, note, pageIn, partIn } from './calls.http.ts';
import type { PortalPorts } from './ports.ts';

/** An organisation of the person's that is at home in a workspace, or a guest there. */
interface Side {
  readonly organisation: string;
  readonly role: Role;
  readonly isGuest: boolean;
}

const sidesOf = ({ host, vendors, roles }: Call): readonly Side[] =>
  roles
    .filter(({ organisation }) => organisation === host || vendors.includes(organisation))
    .map(one => ({ ...one, isGuest: one.organisation !== host }));

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
    ...defined({ connection_id: connection }),
    by: isMail ? 'email' : 'webhook',
    to: addressOf(alert),
    ...(mayChange && !isMail && { url: to.url }),
    created_at: alert.createdAt,
    raised: state.raised,
    pending: state.deliveries.length,
    ...(at !== undefined && { last: { at: iso(at), ...defined({ problem }) } }),
  };
};

const choiceIn = ({ body, settings }: Call, to?: Mailbox): AlertChoice => ({
  threshold: typeof body['threshold'] === 'number' ? body['threshold'] : Number.NaN,
  to: to ?? { url: textOf(body, 'url').trim() },
  insecureLocal: settings.isLocal === true,
});

/**
 * Notes what a person did to an alert, without its URL, which may name a secret of its host, and
 * without an e-mail address.
 */
const noteAlert = (
  ports: PortalPorts,
  call: Call,
  { what, alert }: { what: ChangeName; alert: Alert },
) => {
  const to = 'email' in alert.to ? 'email' : addressOf(alert);
  const facts = { alert: alert.id, kind: alert.kind, threshold: `${alert.threshold}`, to };
  return note(ports, call, { what, facts, organisations: [alert.organisation] });
};

const noMail = declined('This bus sends no e-mail: choose a webhook.');
const noAddress = declined(
  'Your identity provider has verified no e-mail address of yours: verify one there and sign ' +
    'in again, or choose a webhook.',
);

/** Where the e-mails go that somebody asks for: to his own verified address, and nobody else's. */
const mailboxOf = (
  { mails }: PortalPorts,
  { person, request, settings, subject }: Call,
): Mailbox | Declined => {
  if (!mails.isOn) return noMail;
  if (person?.email === undefined) return noAddress;
  const { email, issuer, subject: name } = person;
  const page = ownUrl(request, settings) + portalPages.alerts.replace('{w}', subject.w);
  return { email, person: { issuer, subject: name }, page };
};

/** A call about an alert of an organisation that the person is an owner of. */
const about =
  (
    handle: (ports: PortalPorts, alert: Alert, call: Call) => Promise<Alert | Declined>,
    what?: ChangeName,
  ): Handler<AlertResponse> =>
  async (ports, call) => {
    const { w: workspace, l: id } = call.subject;
    const owned = sidesOf(call).filter(isOwner);
    const found = await Promise.all(
      owned.map(({ organisation }) => ports.alerts.find({ organisation, workspace, id })),
    );
    const alert = found.find(one => one !== undefined);
    if (!alert) return undefined;
    const handled = await handle(ports, alert, call);
    if (isDeclined(handled)) return handled;
    const noted = what === undefined ? {} : await noteAlert(ports, call, { what, alert: handled });
    return { ...alertRecord(handled), ...noted };
  };

/**
 * Sends an event at once. The time is noted before, on condition: however often somebody asks, a
 * host is called once in a while.
 */
const test = async (
  ports: PortalPorts,
  alert: Alert,
  { host }: Call,
): Promise<Alert | Declined> => {
  const { alerts, clock, ids } = ports;
  // An alert is quiet while its organisation or the house of the workspace is suspended, or closed.
  const quiet = await notActive(ports, alert.organisation, host);
  if (quiet) return quiet;

  const { testSeconds } = alertLimits;
  const now = clock.now();
  if (now - (alert.state.testedAt ?? 0) < testSeconds * 1000)
    return declined(`This alert was tested less than ${testSeconds} seconds ago.`);

  const begun = stateToTell(alert, now);
  if (!begun)
    return declined(`This alert has sent its ${alertLimits.mailsPerDay} e-mails of today.`);
  const claimed = await alerts.save({ ...alert, state: { ...begun, testedAt: now } });
  if (!claimed) return alertChanged;

  const delivery = { id: `msg_${randomName(ids)}`, event: testEvent(alert, now) };
  const { problem } = await tell(ports, { alert, delivery, now });
  const failed =
    'email' in alert.to ? 'The test was not sent' : 'The webhook did not accept the test';
  if (problem !== undefined) return declined(`${failed}: ${problem}.`);
  return { ...claimed, state: { ...claimed.state, last: { at: now } } };
};

export const alertCalls: CallHandlers<'alert'> = {
  'alert.list': async (ports, call) => {
    const sides = sidesOf(call);
    const all = await Promise.all(
      sides.map(async side =>
        (await ports.alerts.of(side.organisation, call.subject.w)).map(alert =>
          alertRecord(alert, isOwner(side)),
        ),
      ),
    );
    const part = partIn(call, limits.portalPage);
    const { entries: alerts, ...more } = pageIn(all.flat(), part, one => one.alert_id);
    const makers = await Promise.all(
      sides.filter(isOwner).map(async ({ organisation: id }) => ({
        organisation_id: id,
        name: (await ports.directory.find('organisation', id))?.name ?? id,
      })),
    );
    const email = ports.mails.isOn ? call.person?.email : undefined;
    return { alerts, makers, ...defined({ email }), ...more };
  },

  'alert.make': async (ports, call) => {
    const { body, subject, host } = call;
    const { w: workspace } = subject;
    const kind = alertKindNames.find(name => name === textOf(body, 'kind'));
    if (!kind) return invalidRequest;

    const named = textOf(body, 'organisation_id');
    const owned = sidesOf(call).filter(isOwner);
    const side = owned.find(one => named === '' || one.organisation === named);
    if (!side) return portalRefusal('access.denied');

    const { organisation, isGuest } = side;
    const connection = textOf(body, 'connection_id');
    const found =
      connection === '' ? undefined : (await ports.connections.find(connection))?.connection;
    const isSeen =
      found?.workspace === workspace && (!isGuest || found.organisation === organisation);
    if (connection !== '' && !isSeen) return undefined;

    const wanted = {
      organisation,
      workspace,
      kind,
      isGuest,
      ...(connection !== '' && { connection }),
    };
    const mailbox = textOf(body, 'by') === 'email' ? mailboxOf(ports, call) : undefined;
    if (isDeclined(mailbox)) return mailbox;

    const quiet = await notActive(ports, organisation, host);
    const made = quiet ?? (await makeAlert(ports, wanted, choiceIn(call, mailbox)));
    if (isDeclined(made)) return made;
    const noted = await noteAlert(ports, call, { what: 'alert.make', alert: made });
    return {
      ...alertRecord(made),
      ...('secret' in made.to && { secret: made.to.secret }),
      ...noted,
    };
  },

  'alert.change': about(
    async (ports, alert, call) =>
      (await notActive(ports, alert.organisation, call.host)) ??
      changeAlert(ports, alert, choiceIn(call)),
    'alert.change',
  ),
  'alert.test': about(test),
  'alert.delete': about(
    async ({ alerts }, alert) => ((await alerts.remove(alert)) ? alert : alertChanged),
    'alert.delete',
  ),
};
