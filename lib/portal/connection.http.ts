import { limits } from '../contract/limits.ts';
import { fitting, partOf } from '../contract/outside.ts';
import { includesRole, type PortalCallId } from '../contract/portal.ts';
import type { MakerResponse } from '../contract/work-responses.ts';
import { type JsonObject, textOf } from '../json/value.ts';
import type { Connection, PermissionChange } from '../registry/connection.ts';
import { changePermissions, createConnection, pauseConnection } from '../registry/connections.ts';
import { changeGuestPermissions, createGuestConnection } from '../registry/guests.ts';
import { standingIn } from '../registry/members.ts';
import { noteChange, noteOn } from '../registry/noting.ts';
import { isDeclined } from '../registry/operator.ts';
import { revokeConnection, revokeParty } from '../registry/revoking.ts';
import { type IssuedConnection, revokeSecret, rotateSecret } from '../registry/secrets.ts';
import { issuerOf } from '../tokens/access-token.ts';
import { declinedReply, portalRefusal, portalResponse } from './browser.http.ts';
import { type Call, type CallHandler, type CallService, listIn } from './calls.http.ts';
import { changeOf, done } from './connection-changes.http.ts';
import { identityCalls, issuerRecord } from './identity.http.ts';
import { partIn } from './lists.http.ts';
import type { PortalPorts } from './ports.ts';
import { refusedText } from './refused-text.http.ts';
import {
  appNames,
  connectionDetail,
  connectionRecord,
  hostOf,
  standingAt,
  viewConnection,
  visibleConnections,
} from './standing.ts';
import { vendorCalls } from './vendor.http.ts';

const makersOf = async (
  ports: PortalPorts,
  { person, standing, subject: { w = '' } }: Call,
): Promise<readonly MakerResponse[]> => {
  const [host, { roles }, vendors] = await Promise.all([
    hostOf(ports, w),
    person ? ports.members.affiliationOf(person) : { roles: [] },
    ports.members.vendorsOf(w),
  ]);
  const guests = roles.filter(one => vendors.includes(one.organisation) && includesRole(one.role, 'editor'));
  const places = await Promise.all(guests.map(one => ports.invitations.guestOf(w, one.organisation)));
  const nameOf = async (id: string) => (await ports.directory.find('organisation', id))?.name ?? id;
  const everything = { kinds: ['producer', 'consumer'] as const, grants: ['*'], receives: ['*'] };
  return [
    ...(host !== undefined && includesRole(standing.own, 'editor')
      ? [{ organisation_id: host, name: await nameOf(host), ...everything }]
      : []),
    ...(await Promise.all(
      places
        .filter(place => place !== undefined)
        .map(async ({ organisation, terms }) => ({
          organisation_id: organisation,
          name: await nameOf(organisation),
          ...terms,
        })),
    )),
  ];
};

/** Those that can be used come first, the newest first. */
const inOrder = (connections: readonly Connection[]): readonly Connection[] => {
  const keyOf = ({ status, createdAt, id }: Connection) =>
    `${status === 'revoked' ? 0 : 1} ${createdAt} ${id}`;
  return [...connections].sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
};

const list: CallHandler<'connection.list'> = async (ports, call) => {
  const { w = '' } = call.subject;
  const [visible, makers, providers] = await Promise.all([
    visibleConnections(ports, w, call),
    makersOf(ports, call),
    ports.identityProviders.list(w),
  ]);
  const page = partOf(inOrder(visible), partIn(call, limits.portalPage), ({ id }) => id);
  const apps = await appNames(ports, page.entries);
  const credentials = await ports.connections.credentialsOf(page.entries.map(({ id }) => id));
  const records = page.entries.flatMap(connection => {
    const credential = credentials.get(connection.id);
    return credential ? [connectionRecord({ connection, credential }, apps.get(connection.app) ?? '')] : [];
  });
  const { entries: connections, ...more } = fitting(
    { ...page, entries: records },
    ({ connection_id }) => connection_id,
  );
  return portalResponse({
    connections,
    makers,
    issuers: providers.map(issuerRecord),
    may_add_issuers: includesRole(call.standing.own, 'editor'),
    ...more,
  });
};

/** What a program needs to act as a connection, under the names that the clients read. */
const variablesOf = (origin: string, { connection, clientSecret }: IssuedConnection) => ({
  // With its slash: clients resolve paths against it, as against a folder (RFC 3986 section 5.2.3).
  SOMBUS_BASE_URL: `${origin}/v1/`,
  SOMBUS_TOKEN_URL: `${issuerOf(origin)}/token`,
  SOMBUS_WORKSPACE: connection.workspace,
  SOMBUS_CLIENT_ID: connection.id,
  SOMBUS_CLIENT_SECRET: clientSecret,
  ...(connection.systemIds[0] === undefined ? {} : { SOMBUS_SYSTEM_ID: connection.systemIds[0] }),
});

const issuedRecord = (origin: string, issued: IssuedConnection) => ({
  client_secret: issued.clientSecret,
  variables: variablesOf(origin, issued),
});

const permissionsIn = (body: JsonObject): PermissionChange | undefined => {
  const lists = {
    systemIds: listIn(body, 'system_ids'),
    grants: listIn(body, 'grants'),
    receives: listIn(body, 'receives'),
    sources: listIn(body, 'sources'),
  };
  if (Object.values(lists).includes('wrong')) return undefined;
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined));
};

const nothing = { systemIds: [], grants: [], receives: [], sources: [] };

const make: CallHandler<'connection.make'> = async (ports, call) => {
  const { body, subject, settings } = call;
  const { w = '' } = subject;
  const kind = (['producer', 'consumer'] as const).find(one => one === textOf(body, 'kind'));
  const lists = permissionsIn(body);
  const app = textOf(body, 'app').trim();
  if (!kind || !lists || app === '') return portalRefusal('request.invalid');
  const makers = await makersOf(ports, call);
  const named = textOf(body, 'organisation_id');
  const maker = makers.find(one => named === '' || one.organisation_id === named);
  if (!maker) return portalRefusal('access.denied');
  const host = (await hostOf(ports, w)) ?? '';
  const organisation = maker.organisation_id;
  const request = { ...nothing, ...lists, kind, workspace: w, app, organisation };
  const issued =
    organisation === host
      ? await createConnection(ports, request, { force: body['force'] === true })
      : await createGuestConnection(ports, request);
  if (isDeclined(issued)) return declinedReply(issued);
  const { connection } = issued;
  const of = { connection: connection.id, organisations: [organisation, host] };
  // From here on nothing may fail: the secret is in this response only.
  const noted = await noteOn(ports, call, { what: 'connection.make', of, facts: { kind } });
  const detail = connectionDetail(issued, {
    host,
    standing: call.standing,
    appName: app,
    principals: [],
    bindings: [],
    ...(connection.queue === undefined ? {} : { queueUrl: ports.queueAdmin.url(connection.queue) }),
  });
  return portalResponse({ ...detail, ...issuedRecord(settings.origin, issued), ...noted });
};

const show: CallHandler<'connection.show'> = async (ports, { subject: { c = '' }, standing }) => {
  const view = await viewConnection(ports, c, standing);
  return view ? portalResponse(view.detail) : portalRefusal('portal.not_found');
};

const usage: CallHandler<'connection.usage'> = async (ports, { subject: { c = '' } }) => {
  const used = await ports.usagePlans.usedToday(c);
  return portalResponse(used === undefined ? {} : { used_today: used });
};

const permit: CallHandler<'connection.permit'> = changeOf(
  { what: 'connection.permit' },
  async (ports, { body }, { entry: { connection }, around: { host } }) => {
    const lists = permissionsIn(body) ?? {};
    const wanted = { ...lists, seen: connection, force: body['force'] === true };
    const changed =
      connection.organisation === host
        ? await changePermissions(ports, connection.id, wanted)
        : await changeGuestPermissions(ports, connection, wanted);
    if (isDeclined(changed)) return changed;
    return done({ changed: Object.keys(lists).join(' ') });
  },
);

const { min, max } = limits.secretOverlapSeconds;

const overlapOf = (body: JsonObject): number | undefined => {
  const seconds = body['overlap_seconds'];
  return typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= min && seconds <= max
    ? seconds
    : undefined;
};

const rotate: CallHandler<'connection.rotate'> = changeOf(
  { what: 'secret.rotate' },
  async (ports, { body, settings }, { entry }) => {
    const { connection, credential } = entry;
    const overlapSeconds = overlapOf(body) ?? min;
    const rotation = { overlapSeconds, force: body['force'] === true, version: credential.version };
    const issued = await rotateSecret(ports, connection.id, rotation);
    if (isDeclined(issued)) return issued;
    const facts = { overlap_seconds: `${overlapSeconds}` };
    return { kind: 'done', facts, more: issuedRecord(settings.origin, issued), entry: issued };
  },
);

const slots = ['current', 'previous', 'all'] as const;

const endSecret: CallHandler<'connection.endSecret'> = changeOf(
  { what: 'secret.end' },
  async (ports, { body }, { entry: { connection, credential } }) => {
    const which = slots.find(slot => slot === textOf(body, 'which')) ?? 'all';
    const ended = await revokeSecret(ports, connection.id, { which, version: credential.version });
    return isDeclined(ended) ? ended : done({ which });
  },
);

const setPaused = (isPaused: boolean) =>
  changeOf(
    { what: isPaused ? 'connection.pause' : 'connection.resume', alsoByHost: true },
    async (ports: PortalPorts, { subject: { c = '' }, standing }) => {
      const by = includesRole(standing.own, 'editor') ? 'host' : 'guest';
      const changed = await pauseConnection(ports, c, { paused: isPaused, by });
      return isDeclined(changed) ? changed : done();
    },
  );

const revoke: CallHandler<'connection.revoke'> = changeOf(
  { what: 'connection.revoke', alsoByHost: true },
  async (ports, { subject: { c = '' } }) => {
    await revokeConnection(ports, c);
    return done();
  },
);

const otherName = 'To close the organisation, type its name exactly as it is.';

/**
 * Closes an organisation for good: its workspaces, apps and connections are revoked, and its queues deleted. Its members still see it,
 * and what was changed. Whoever closes it types its name. Repeat an interrupted call to finish it.
 */
const closeOrganisation: CallHandler<'connection.closeOrganisation'> = async (
  ports,
  { person, subject: { o = '' }, body },
) => {
  const found = await ports.directory.find('organisation', o);
  if (!found) return portalRefusal('portal.not_found');
  if (textOf(body, 'confirm') !== found.name) return portalRefusal('request.invalid', otherName);
  await revokeParty(ports, 'organisation', o);
  const noted = await noteChange(ports, person, { organisation: o, what: 'organisation.close' });
  return portalResponse({ organisation_id: o, ...noted });
};

/** Whether what a call says beside the version has the form that it must have. */
const wellFormed =
  <Id extends PortalCallId>(
    isValid: (body: JsonObject) => boolean,
    handler: CallHandler<Id>,
  ): CallHandler<Id> =>
  async (ports, call) =>
    isValid(call.body) ? handler(ports, call) : portalRefusal('request.invalid');

export const connectionCalls: CallService<'connection'> = {
  standingOf: async (ports, person, subject) =>
    subject['o'] === undefined
      ? standingAt(ports, person, subject)
      : standingIn(await ports.members.affiliationOf(person), { organisation: subject['o'] }),
  handlers: {
    'connection.list': list,
    'connection.make': make,
    'connection.show': show,
    'connection.usage': usage,
    'connection.refusedText': refusedText,
    'connection.permit': wellFormed(body => permissionsIn(body) !== undefined, permit),
    'connection.rotate': wellFormed(body => overlapOf(body) !== undefined, rotate),
    'connection.endSecret': wellFormed(body => slots.some(slot => slot === body['which']), endSecret),
    'connection.pause': setPaused(true),
    'connection.resume': setPaused(false),
    'connection.revoke': revoke,
    ...identityCalls,
    ...vendorCalls,
    'connection.closeOrganisation': closeOrganisation,
  },
};
