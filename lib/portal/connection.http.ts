import { createGuestConnection, endGuest } from '../access/people/guests.ts';
import {
  type Connection,
  isRegistered,
  noPermissions,
  shownStatus,
} from '../access/registry/connection.ts';
import { createConnection } from '../access/registry/connections.ts';
import { isDeclined } from '../access/registry/declined.ts';
import { matches } from '../access/registry/patterns.ts';
import { clientClaims, type IdentityProvider } from '../access/registry/registry.ts';
import { revokeParty } from '../access/registry/revoking.ts';
import { addIdentityProvider, removeIdentityProvider } from '../access/trust/identity-providers.ts';
import { issuerOf } from '../bus/tokens/access-token.ts';
import { limits } from '../contract/limits.ts';
import { families } from '../contract/message-types.ts';
import { defined, fitting, folded, partOf } from '../contract/outside.ts';
import { includesRole } from '../contract/portal/portal.ts';
import type { IssuerResponse, MakerResponse } from '../contract/portal/work-responses.ts';
import { millisecondsIn } from '../platform/json/formats.ts';
import { textOf } from '../platform/json/value.ts';
import { invalidRequest, portalRefusal } from './browser.http.ts';
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

/** What a list of connections is searched and sorted by. */
interface Listed {
  readonly connection: Connection;
  readonly app: string;
  /** The name of a vendor that has it; undefined: the house has it. */
  readonly vendor: string | undefined;
}

const typesIn = ({ grants, receives }: Connection): readonly string[] => [...grants, ...receives];

/** Whether a word is in what people know of a connection; a type also by a pattern of its. */
const hasWord = ({ connection, app, vendor = '' }: Listed, word: string): boolean => {
  const { id, kind, systemIds } = connection;
  const known = [app, vendor, id, kind, shownStatus(connection), ...systemIds];
  const isNamed = folded([...known, ...typesIn(connection)].join(' ')).includes(word);

  // Who looks for a type wants the connections with `*` and `family.*`, too. Types are in lower
  // case; words are folded to upper.
  const type = word.toLowerCase();
  return isNamed || (families.has(type) && typesIn(connection).some(one => matches(one, type)));
};

const wordsIn = (text: string): readonly string[] =>
  folded(text)
    .split(/\s+/)
    .filter(word => word !== '');

/** Each is sorted by a text, and where that is the same by the name. */
const sortKeys = {
  name: ({ app }: Listed) => folded(app),
  kind: ({ connection }: Listed) => connection.kind,
  state: ({ connection }: Listed) => shownStatus(connection),
  vendor: ({ vendor = '' }: Listed) => folded(vendor),
  created: ({ connection }: Listed) => connection.createdAt,
} as const;

type SortName = keyof typeof sortKeys;

const isSortName = (text: string): text is SortName => Object.hasOwn(sortKeys, text);

/** In the order of a key; what cannot be used any more is always last. */
const sorted = (
  all: readonly Listed[],
  { sort, isDescending }: { readonly sort: SortName; readonly isDescending: boolean },
): readonly Listed[] => {
  const keyOf = (one: Listed): readonly string[] => [
    sortKeys[sort](one),
    sortKeys.name(one),
    one.connection.id,
  ];
  const isOver = ({ connection }: Listed) => Number(connection.status === 'revoked');
  const factor = isDescending ? -1 : 1;
  const compared = (a: Listed, b: Listed): number => {
    const [one, other] = [keyOf(a), keyOf(b)];
    // The first key in which they differ decides.
    const at = one.findIndex((key, index) => key !== other[index]);
    return factor * (one[at] ?? '').localeCompare(other[at] ?? '');
  };
  return [...all].sort((a, b) => isOver(a) - isOver(b) || compared(a, b));
};

/** The connections with their names, as somebody may see them. */
const listedOf = async (
  ports: PortalPorts,
  host: string,
  connections: readonly Connection[],
): Promise<readonly Listed[]> => {
  const vendors = [...new Set(connections.map(({ organisation }) => organisation))].filter(
    one => one !== host,
  );
  const [apps, parties] = await Promise.all([
    appNames(ports, connections),
    Promise.all(vendors.map(one => ports.directory.find('organisation', one))),
  ]);
  const names = new Map(vendors.map((id, at) => [id, parties[at]?.name ?? id]));
  return connections.map(connection => ({
    connection,
    app: apps.get(connection.app) ?? connection.app,
    vendor: names.get(connection.organisation),
  }));
};

const issuerRecord = (provider: IdentityProvider): IssuerResponse => ({
  issuer: provider.issuer,
  jwks_uri: provider.jwksUri,
  audience: provider.audience,
  client_claim: provider.clientClaim,
  created_at: provider.createdAt,
});

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
    const { find = '', sort = 'name', order = 'ascending' } = call.query;
    if (!isSortName(sort)) return invalidRequest;

    const listed = await listedOf(ports, call.host, visible);
    const words = wordsIn(find);
    const found = listed.filter(one => words.every(word => hasWord(one, word)));
    const inOrder = sorted(found, { sort, isDescending: order === 'descending' });
    const page = partOf(
      inOrder,
      partIn(call, limits.portalPage),
      ({ connection }) => connection.id,
    );

    const ids = page.entries.map(({ connection }) => connection.id);
    const credentials = await ports.connections.credentialsOf(ids);
    const records = page.entries.flatMap(({ connection, app, vendor }) => {
      const credential = credentials.get(connection.id);
      if (!credential) return [];
      return [{ ...connectionResponse({ connection, credential }, app), ...defined({ vendor }) }];
    });
    const { entries, ...more } = fitting({ ...page, entries: records }, one => one.connection_id);
    return {
      connections: entries,
      total: found.length,
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
    if (!kind || !lists || app === '') return invalidRequest;

    const named = textOf(body, 'organisation_id');
    const makers = await makersOf(ports, call);
    const maker = makers.find(one => named === '' || one.organisation_id === named);
    if (!maker) return portalRefusal('access.denied');

    const organisation = maker.organisation_id;
    const request = { ...noPermissions, ...lists, kind, workspace: subject.w, app, organisation };
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
    if (!text) return portalRefusal('portal.not_found', notKept);
    return { content: Buffer.from(text).toString('base64') };
  },

  'connection.addIssuer': async (ports, call) => {
    const { body, subject, settings } = call;
    const clientClaim = clientClaims.find(claim => claim === textOf(body, 'client_claim'));
    if (!clientClaim) return invalidRequest;
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
