import { createGuestConnection, endGuest } from '../access/people/guests.ts';
import { type Connection, isRegistered, shownStatus } from '../access/registry/connection.ts';
import { createConnection } from '../access/registry/connections.ts';
import { isDeclined } from '../access/registry/operator.ts';
import { clientClaims, type IdentityProvider } from '../access/registry/registry.ts';
import { revokeParty } from '../access/registry/revoking.ts';
import { addIdentityProvider, removeIdentityProvider } from '../access/trust/identity-providers.ts';
import { issuerOf } from '../bus/tokens/access-token.ts';
import { limits } from '../contract/limits.ts';
import { fitting, folded, partOf } from '../contract/outside.ts';
import { includesRole } from '../contract/portal/portal.ts';
import type { IssuerResponse, MakerResponse } from '../contract/portal/work-responses.ts';
import { millisecondsIn } from '../platform/json/formats.ts';
import { textOf } from '../platform/json/value.ts';
import { portalRefusal } from './browser.http.ts';
import { badPosition, type Call, type CallHandlers, note, partIn } from './calls.http.ts';
import { connectionChanges, issuedRecord, permissionsIn } from './connection-changes.http.ts';
import type { PortalPorts } from './ports.ts';
import {
  appNames,
  connectionDetail,
  connectionResponse,
  isOwnSide,
  surroundingsOf,
  visibleConnections,
} from './standing.ts';

/** The organisations of a person that may make connections in a workspace, and which. */
const makersOf = async (
  { directory, invitations }: PortalPorts,
  { host, roles, vendors, standing, subject: { w } }: Call,
): Promise<readonly MakerResponse[]> => {
  const guests = roles.filter(
    one => vendors.includes(one.organisation) && includesRole(one.role, 'editor'),
  );
  const places = await Promise.all(guests.map(one => invitations.guestOf(w, one.organisation)));
  const everything = { kinds: ['producer', 'consumer'] as const, grants: ['*'], receives: ['*'] };
  const makers = [
    ...(includesRole(standing.own, 'editor') ? [{ organisation: host, terms: everything }] : []),
    ...places.filter(place => place !== undefined),
  ];
  return Promise.all(
    makers.map(async ({ organisation: id, terms }) => ({
      organisation_id: id,
      name: (await directory.find('organisation', id))?.name ?? id,
      ...terms,
    })),
  );
};

/** Those that can be used come first, the newest first. */
const inOrder = (connections: readonly Connection[]): readonly Connection[] => {
  const keyOf = ({ status, createdAt, id }: Connection) =>
    `${status === 'revoked' ? 0 : 1} ${createdAt} ${id}`;
  return [...connections].sort((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1));
};

/** Those in whose names, ids, types or states a text stands. */
const withText = async (
  ports: PortalPorts,
  connections: readonly Connection[],
  text: string,
): Promise<readonly Connection[]> => {
  if (text === '') return connections;
  const apps = await appNames(ports, connections);
  const textOfOne = (one: Connection) =>
    [
      ...[apps.get(one.app), one.id, one.kind, shownStatus(one)],
      ...[...one.grants, ...one.receives, ...one.systemIds],
    ].join(' ');
  return connections.filter(one => folded(textOfOne(one)).includes(folded(text)));
};

const issuerRecord = (provider: IdentityProvider): IssuerResponse => ({
  issuer: provider.issuer,
  jwks_uri: provider.jwksUri,
  audience: provider.audience,
  client_claim: provider.clientClaim,
  created_at: provider.createdAt,
});

const nothing = { systemIds: [], grants: [], receives: [], sources: [] };

const otherName = 'To close the organisation, type its name exactly as it is.';

const notKept =
  'The text of this refusal is not kept. An owner can have those of the organisation kept for a day.';

export const connectionCalls: CallHandlers<'connection'> = {
  ...connectionChanges,

  'connection.list': async (ports, call) => {
    const [visible, makers, providers] = await Promise.all([
      visibleConnections(ports, call),
      makersOf(ports, call),
      // A guest has no business with the house's.
      call.standing.own === undefined ? [] : ports.identityProviders.list(call.subject.w),
    ]);
    const { find = '' } = call.query;
    const found = await withText(ports, visible, find.trim());
    const page = partOf(inOrder(found), partIn(call, limits.portalPage), ({ id }) => id);
    const apps = await appNames(ports, page.entries);
    const credentials = await ports.connections.credentialsOf(page.entries.map(({ id }) => id));
    const records = page.entries.flatMap(connection => {
      const credential = credentials.get(connection.id);
      return credential
        ? [connectionResponse({ connection, credential }, apps.get(connection.app) ?? '')]
        : [];
    });
    const { entries, ...more } = fitting({ ...page, entries: records }, one => one.connection_id);
    return {
      connections: entries,
      makers,
      issuers: providers.map(issuerRecord),
      may_add_issuers: includesRole(call.standing.own, 'editor'),
      ...more,
    };
  },

  'connection.make': async (ports, call) => {
    const { body, host, subject, settings } = call;
    const kind = (['producer', 'consumer'] as const).find(one => one === textOf(body, 'kind'));
    const lists = permissionsIn(body);
    const app = textOf(body, 'app').trim();
    if (!kind || !lists || app === '') return portalRefusal('request.invalid');
    const named = textOf(body, 'organisation_id');
    const makers = await makersOf(ports, call);
    const maker = makers.find(one => named === '' || one.organisation_id === named);
    if (!maker) return portalRefusal('access.denied');
    const organisation = maker.organisation_id;
    const request = { ...nothing, ...lists, kind, workspace: subject.w, app, organisation };
    const entry =
      organisation === host
        ? await createConnection(ports, request, { force: body['force'] === true })
        : await createGuestConnection(ports, request);
    if (isDeclined(entry)) return entry;
    // From here on nothing may fail: the secret is in this response only.
    const noted = await note(ports, call, {
      what: 'connection.make',
      facts: { connection: entry.connection.id, kind },
      organisations: [organisation, host],
    });
    const around = { appName: app, principals: [], bindings: [] };
    const detail = connectionDetail(ports, { ...call, entry }, around);
    return { ...detail, ...issuedRecord(settings.origin, entry), ...noted };
  },

  'connection.show': async (ports, { entry, ...call }) =>
    entry &&
    connectionDetail(ports, { ...call, entry }, await surroundingsOf(ports, entry.connection)),

  'connection.usage': async ({ usagePlans }, { subject: { c } }) => {
    const used = await usagePlans.usedToday(c);
    return used === undefined ? {} : { used_today: used };
  },

  /** What a connection sent and the bus refused, for members of its own organisation. */
  'connection.refusedText': async ({ refusedTexts, clock }, call) => {
    const { at = '', message: messageId = '' } = call.query;
    const time = millisecondsIn(at);
    if (time === undefined || messageId.length > limits.idCharacters)
      return portalRefusal('request.invalid', badPosition);
    const since = isOwnSide(call, 'viewer') ? await refusedTexts.keptSince(call.owner) : undefined;
    // An owner who had none kept for a while does not get back what came before.
    const isKept = since !== undefined && time >= since;
    const refusal = { connection: call.subject.c, at: time, messageId };
    const text = isKept ? await refusedTexts.find(refusal, clock.now()) : undefined;
    return text
      ? { content: Buffer.from(text).toString('base64') }
      : portalRefusal('portal.not_found', notKept);
  },

  'connection.addIssuer': async (ports, call) => {
    const { body, subject, settings } = call;
    const clientClaim = clientClaims.find(claim => claim === textOf(body, 'client_claim'));
    if (!clientClaim) return portalRefusal('request.invalid');
    const wanted = {
      scope: subject.w,
      issuer: textOf(body, 'issuer').trim(),
      jwksUri: textOf(body, 'jwks_uri').trim(),
      audience: textOf(body, 'audience').trim(),
      clientClaim,
      // Only who runs the service itself may let it fetch from this machine:
      // `sombus idp add --allow-insecure-local`.
      insecureLocal: false,
    };
    const result = await addIdentityProvider(ports, wanted, issuerOf(settings.origin));
    if (isDeclined(result)) return result;
    const { issuer } = wanted;
    return {
      ...issuerRecord(result.provider),
      ...(await note(ports, call, { what: 'issuer.add', facts: { issuer } })),
    };
  },

  'connection.removeIssuer': async (ports, call) => {
    const issuer = textOf(call.body, 'issuer');
    const removed = await removeIdentityProvider(ports, call.subject.w, issuer);
    if (isDeclined(removed)) return removed;
    return { issuer, ...(await note(ports, call, { what: 'issuer.remove', facts: { issuer } })) };
  },

  'connection.vendors': async (ports, call) => {
    const { w } = call.subject;
    const [page, connections] = await Promise.all([
      ports.members.vendorsPage(w, partIn(call, limits.portalPage)),
      ports.connections.ofWorkspace(w),
    ]);
    const vendors = await Promise.all(
      page.entries.map(async id => {
        const [guest, party] = await Promise.all([
          ports.invitations.guestOf(w, id),
          ports.directory.find('organisation', id),
        ]);
        if (!guest) return [];
        const own = connections.filter(one => one.organisation === id && isRegistered(one));
        const { since, terms } = guest;
        return [
          {
            organisation_id: id,
            name: party?.name ?? id,
            since,
            ...terms,
            connections: own.length,
          },
        ];
      }),
    );
    const { entries, ...more } = fitting(
      { ...page, entries: vendors.flat() },
      one => one.organisation_id,
    );
    return { vendors: entries, ...more };
  },

  'connection.endVendor': async (ports, call) => {
    const vendor = textOf(call.body, 'organisation_id');
    const ended = await endGuest(ports, call.subject.w, vendor);
    if (isDeclined(ended)) return ended;
    const facts = { vendor, revoked: `${ended.revoked}` };
    const organisations = [vendor, call.host];
    return { ...ended, ...(await note(ports, call, { what: 'vendor.end', facts, organisations })) };
  },

  /**
   * Closes an organisation for good: its workspaces, apps and connections are revoked, and its
   * queues deleted. Its members still see it, and what was changed. Whoever closes it types its
   * name. Repeat an interrupted call to finish it.
   */
  'connection.closeOrganisation': async (ports, call) => {
    const { o } = call.subject;
    const found = await ports.directory.find('organisation', o);
    if (!found) return undefined;
    if (textOf(call.body, 'confirm') !== found.name)
      return portalRefusal('request.invalid', otherName);
    await revokeParty(ports, 'organisation', o);
    return { organisation_id: o, ...(await note(ports, call, { what: 'organisation.close' })) };
  },
};
