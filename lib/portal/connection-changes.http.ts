import { changeGuestPermissions } from '../access/people/guests.ts';
import type { ChangeName } from '../access/people/noting.ts';
import type { PermissionChange } from '../access/registry/connection.ts';
import { changedFact, changePermissions, pauseConnection } from '../access/registry/connections.ts';
import { type Declined, declined, isDeclined } from '../access/registry/declined.ts';
import { revokeConnection } from '../access/registry/revoking.ts';
import { type IssuedConnection, revokeSecret, rotateSecret } from '../access/registry/secrets.ts';
import { bindClient, unbindClient } from '../access/trust/identity-providers.ts';
import { registerPrincipal, revokePrincipal } from '../access/trust/register-principal.ts';
import { issuerOf } from '../bus/tokens/access-token.ts';
import { limits } from '../contract/limits.ts';
import { defined } from '../contract/outside.ts';
import { includesRole } from '../contract/portal/portal.ts';
import type { ConnectionDetail } from '../contract/portal/work-responses.ts';
import { routes } from '../contract/routes.ts';
import { type JsonObject, textOf } from '../platform/json/value.ts';
import { invalidRequest, notYours, portalRefusal } from './browser.http.ts';
import { type Call, type CallHandlers, listIn, note, type Outcome } from './calls.http.ts';
import type { PortalPorts } from './ports.ts';
import { type ConnectionEntry, connectionDetail, isOwnSide, surroundingsOf } from './standing.ts';

/** What was changed: `facts` are recorded, `more` is answered with the connection. */
interface Done<More extends object> {
  readonly kind: 'done';
  readonly facts: Readonly<Record<string, string>>;
  readonly more: More;
  /** The connection after the change, if a read that fails must not hide what is in `more`. */
  readonly entry?: ConnectionEntry;
}

const done = (facts: Readonly<Record<string, string>> = {}): Done<object> => ({
  kind: 'done',
  facts,
  more: {},
});

type Seen = ConnectionEntry & { readonly detail: ConnectionDetail };

type Change<More extends object> = (
  ports: PortalPorts,
  call: Call,
  seen: Seen,
) => Promise<Declined | Done<More> | typeof invalidRequest>;

/**
 * A change of an existing connection: declined if somebody else changed it after the person looked
 * at it, recorded when it is done, and answered with the connection as it is then. Some may be made
 * by the host of the workspace to a vendor's connection, too.
 */
const changeOf =
  <More extends object>(what: ChangeName, change: Change<More>, by?: 'also the host') =>
  async (ports: PortalPorts, call: Call): Promise<Outcome<ConnectionDetail & More>> => {
    const { entry, body } = call;
    const version = textOf(body, 'version');
    if (version === '') return invalidRequest;
    if (!entry) return undefined;
    if (!by && !isOwnSide(call, 'editor')) return notYours;

    const { connection } = entry;
    const around = await surroundingsOf(ports, connection);
    const detail = connectionDetail(ports, { ...call, entry }, around);
    if (detail.version !== version) return portalRefusal('portal.changed');

    const result = await change(ports, call, { ...entry, detail });
    if (!('kind' in result) || isDeclined(result)) return result;

    const noted = await note(ports, call, { what, facts: result.facts });
    const now = result.entry ?? (await ports.connections.find(connection.id)) ?? entry;
    const aroundNow = result.entry ? around : await surroundingsOf(ports, connection);
    return {
      ...connectionDetail(ports, { ...call, entry: now }, aroundNow),
      ...result.more,
      ...noted,
    };
  };

export const permissionsIn = (body: JsonObject): PermissionChange | undefined => {
  const lists = {
    systemIds: listIn(body, 'system_ids'),
    grants: listIn(body, 'grants'),
    receives: listIn(body, 'receives'),
    sources: listIn(body, 'sources'),
  };
  if (Object.values(lists).includes('wrong')) return undefined;
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined));
};

/**
 * A new secret, with what a program needs to act as the connection, under the names that the
 * clients read.
 */
export const issuedRecord = (origin: string, { connection, clientSecret }: IssuedConnection) => ({
  client_secret: clientSecret,
  variables: {
    // With its slash: clients resolve paths against it, as against a folder (RFC 3986 section
    // 5.2.3).
    SOMBUS_BASE_URL: `${origin}/v1/`,
    SOMBUS_TOKEN_URL: `${issuerOf(origin)}/token`,
    SOMBUS_WORKSPACE: connection.workspace,
    SOMBUS_CLIENT_ID: connection.id,
    SOMBUS_CLIENT_SECRET: clientSecret,
    ...defined({ SOMBUS_SYSTEM_ID: connection.systemIds[0] }),
  },
});

const { min, max } = limits.secretOverlapSeconds;

const setPaused = (isPaused: boolean) =>
  changeOf(
    isPaused ? 'connection.pause' : 'connection.resume',
    async (ports, { subject: { c }, standing }) => {
      const by = includesRole(standing.own, 'editor') ? 'host' : 'guest';
      const changed = await pauseConnection(ports, c, { paused: isPaused, by });
      return isDeclined(changed) ? changed : done();
    },
    'also the host',
  );

const clientIn = (body: JsonObject) => ({
  issuer: textOf(body, 'issuer'),
  client: textOf(body, 'client'),
});

/** The calls that change a connection, or who acts for it. */
export const connectionChanges = {
  'connection.permit': changeOf(
    'connection.permit',
    async (ports, { body, host }, { connection }) => {
      const lists = permissionsIn(body);
      if (!lists) return invalidRequest;
      const wanted = { ...lists, seen: connection, force: body['force'] === true };
      const changed =
        connection.organisation === host
          ? await changePermissions(ports, connection.id, wanted)
          : await changeGuestPermissions(ports, connection, wanted);
      return isDeclined(changed) ? changed : done(changedFact(lists));
    },
  ),

  'connection.rotate': changeOf('secret.rotate', async (ports, { body, settings }, seen) => {
    const seconds = body['overlap_seconds'];
    if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < min || seconds > max)
      return invalidRequest;
    const { version } = seen.credential;
    const rotation = { overlapSeconds: seconds, force: body['force'] === true, version };
    const issued = await rotateSecret(ports, seen.connection.id, rotation);
    if (isDeclined(issued)) return issued;
    const facts = { overlap_seconds: `${seconds}` };
    return { kind: 'done', facts, more: issuedRecord(settings.origin, issued), entry: issued };
  }),

  'connection.endSecret': changeOf(
    'secret.end',
    async (ports, { body }, { connection, credential }) => {
      const which = (['current', 'previous', 'all'] as const).find(slot => slot === body['which']);
      if (!which) return invalidRequest;
      const ended = await revokeSecret(ports, connection.id, {
        which,
        version: credential.version,
      });
      return isDeclined(ended) ? ended : done({ which });
    },
  ),

  'connection.pause': setPaused(true),
  'connection.resume': setPaused(false),

  'connection.revoke': changeOf(
    'connection.revoke',
    async (ports, { subject: { c } }) => {
      await revokeConnection(ports, c);
      return done();
    },
    'also the host',
  ),

  'connection.registerRole': changeOf(
    'role.register',
    async (ports, { body, subject, settings }) => {
      const { w: workspace, c: connection } = subject;
      const roleArn = textOf(body, 'role_arn').trim();
      const result = await registerPrincipal(ports, workspace, { connection, roleArn });
      if (isDeclined(result)) return result;
      const { challenge = '' } = result;
      const request = {
        method: 'POST' as const,
        url: settings.origin + routes['verify-principal'].path.replace('{t}', workspace),
        service: 'execute-api',
        region: settings.region ?? '',
        body: JSON.stringify({ connection_id: connection, challenge }),
      };
      return { kind: 'done', facts: { role: roleArn }, more: { challenge, request } };
    },
  ),

  'connection.endRole': changeOf(
    'role.end',
    async (ports, { body, subject: { w, c } }, { detail }) => {
      const id = textOf(body, 'role_id');
      const known = detail.roles.some(({ role_id }) => role_id === id);
      const revoked = known ? await revokePrincipal(ports, w, id) : undefined;
      if (!revoked) return declined(`The connection ${c} has no role ${id}.`);
      return done({ role: revoked.principal.roleArn });
    },
  ),

  'connection.bindClient': changeOf(
    'client.bind',
    async (ports, { body, subject: { w, c } }) => {
      const wanted = clientIn(body);
      const result = await bindClient(ports, { scope: w, ...wanted, connection: c }, 'if free');
      return isDeclined(result) ? result : done(wanted);
    },
    'also the host',
  ),

  'connection.unbindClient': changeOf(
    'client.unbind',
    async (ports, { body, subject: { w, c } }) => {
      const named = clientIn(body);
      const result = await unbindClient(ports, { scope: w, ...named }, c);
      return isDeclined(result) ? result : done(named);
    },
    'also the host',
  ),
} satisfies Partial<CallHandlers<'connection'>>;
