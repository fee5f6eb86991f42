import { routes } from '../contract/routes.ts';
import type { IssuerResponse, NotRecorded } from '../contract/work-responses.ts';
import type { EdgeSettings } from '../http/respond.ts';
import { textOf } from '../json/value.ts';
import { addIdentityProvider, bindClient } from '../registry/identity-providers.ts';
import { noteChange } from '../registry/noting.ts';
import { declined, isDeclined } from '../registry/operator.ts';
import { registerPrincipal, revokePrincipal } from '../registry/register-principal.ts';
import { clientClaims, type IdentityProvider } from '../registry/registry.ts';
import { issuerOf } from '../tokens/access-token.ts';
import { declinedReply, portalRefusal, portalResponse } from './browser.http.ts';
import type { Call, CallHandler } from './calls.http.ts';
import { changeOf, done } from './connection-changes.http.ts';
import type { PortalPorts } from './ports.ts';
import { hostOf } from './standing.ts';

const proofRequest = (
  { origin, region = '' }: EdgeSettings,
  { workspace, connection, challenge }: { workspace: string; connection: string; challenge: string },
) => ({
  method: 'POST' as const,
  url: origin + routes['verify-principal'].path.replace('{t}', workspace),
  service: 'execute-api',
  region,
  body: JSON.stringify({ connection_id: connection, challenge }),
});

const registerRole: CallHandler<'connection.registerRole'> = changeOf(
  { what: 'role.register' },
  async (ports, { body, subject: { w = '', c = '' }, settings }) => {
    const roleArn = textOf(body, 'role_arn').trim();
    const result = await registerPrincipal(ports, w, { connection: c, roleArn });
    if (isDeclined(result)) return result;
    const { challenge = '' } = result;
    const request = proofRequest(settings, { workspace: w, connection: c, challenge });
    return { kind: 'done', facts: { role: roleArn }, more: { challenge, request } };
  },
);

const endRole: CallHandler<'connection.endRole'> = changeOf(
  { what: 'role.end' },
  async (ports, { body, subject: { w = '', c = '' } }, { detail }) => {
    const id = textOf(body, 'role_id');
    const known = detail.roles.some(({ role_id }) => role_id === id);
    const revoked = known ? await revokePrincipal(ports, w, id) : undefined;
    return revoked
      ? done({ role: revoked.principal.roleArn })
      : declined(`The connection ${c} has no role ${id}.`);
  },
);

const bind: CallHandler<'connection.bindClient'> = changeOf(
  { what: 'client.bind', alsoByHost: true },
  async (ports, { body, subject: { w = '', c = '' } }) => {
    const [issuer, client] = [textOf(body, 'issuer'), textOf(body, 'client')];
    const result = await bindClient(ports, { scope: w, issuer, client, connection: c }, 'if free');
    return isDeclined(result) ? result : done({ issuer, client });
  },
);

const unbind: CallHandler<'connection.unbindClient'> = changeOf(
  { what: 'client.unbind', alsoByHost: true },
  async (ports, { body, subject: { w = '', c = '' } }, { detail }) => {
    const [issuer, client] = [textOf(body, 'issuer'), textOf(body, 'client')];
    const known = detail.clients.some(one => one.issuer === issuer && one.client === client);
    return known && (await ports.identityProviders.unbind(w, issuer, client))
      ? done({ issuer, client })
      : declined(`The client ${client} of ${issuer} does not act for ${c}.`);
  },
);

export const issuerRecord = (provider: IdentityProvider): IssuerResponse => ({
  issuer: provider.issuer,
  jwks_uri: provider.jwksUri,
  audience: provider.audience,
  client_claim: provider.clientClaim,
  created_at: provider.createdAt,
});

const noteIssuer = async (
  ports: PortalPorts,
  call: Call,
  { what, issuer }: { readonly what: string; readonly issuer: string },
): Promise<NotRecorded> => {
  const { w = '' } = call.subject;
  const organisation = await hostOf(ports, w);
  return organisation === undefined
    ? {}
    : noteChange(ports, call.person, { organisation, what, facts: { workspace: w, issuer } });
};

const addIssuer: CallHandler<'connection.addIssuer'> = async (ports, call) => {
  const { body, subject, settings } = call;
  const clientClaim = clientClaims.find(claim => claim === textOf(body, 'client_claim'));
  if (!clientClaim) return portalRefusal('request.invalid');
  const wanted = {
    scope: subject['w'] ?? '',
    issuer: textOf(body, 'issuer').trim(),
    jwksUri: textOf(body, 'jwks_uri').trim(),
    audience: textOf(body, 'audience').trim(),
    clientClaim,
    // Only who runs the service itself may let it fetch from this machine: `sombus idp add --allow-insecure-local`.
    insecureLocal: false,
  };
  const result = await addIdentityProvider(ports, wanted, issuerOf(settings.origin));
  if (isDeclined(result)) return declinedReply(result);
  const noted = await noteIssuer(ports, call, { what: 'issuer.add', issuer: wanted.issuer });
  return portalResponse({ ...issuerRecord(result.provider), ...noted });
};

const removeIssuer: CallHandler<'connection.removeIssuer'> = async (ports, call) => {
  const issuer = textOf(call.body, 'issuer');
  const removed = await ports.identityProviders.remove(call.subject['w'] ?? '', issuer);
  if (!removed) return portalRefusal('portal.declined', `The issuer ${issuer} is not registered here.`);
  const noted = await noteIssuer(ports, call, { what: 'issuer.remove', issuer });
  return portalResponse({ issuer, ...noted });
};

/** The calls about who acts for a connection other than by its secret: cloud roles, and clients of identity providers. */
export const identityCalls = {
  'connection.registerRole': registerRole,
  'connection.endRole': endRole,
  'connection.bindClient': bind,
  'connection.unbindClient': unbind,
  'connection.addIssuer': addIssuer,
  'connection.removeIssuer': removeIssuer,
};
