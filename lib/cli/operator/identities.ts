import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBinding } from '../../access/registry/ports.ts';
import { clientClaims, type IdentityProvider } from '../../access/registry/registry.ts';
import {
  addIdentityProvider,
  bindClient,
  removeIdentityProvider,
  unbindClient,
} from '../../access/trust/identity-providers.ts';
import {
  operatorScope,
  type Principal,
  type Scope,
  workspaceScope,
} from '../../access/trust/principals.ts';
import type { ReadersSet } from '../../access/trust/queue-access.ts';
import { registerPrincipal, revokePrincipal } from '../../access/trust/register-principal.ts';
import { iso } from '../../contract/outside.ts';
import { dataFiles } from '../../local/data-folder.ts';
import { localAccount } from '../../local/engines/machine.ts';
import { accessKeyRecord, createLocalRole } from '../../local/roles.ts';
import { signedService } from '../../local/sigv4.ts';
import { StartRefusal } from '../../local/start-refusal.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { type CommandGroup, type CommandRun, command } from '../frame/command.ts';
import { accepted, CommandRefused } from '../frame/failures.ts';
import {
  flag,
  jsonOption,
  matching,
  type OptionsOf,
  option,
  required,
  withDefault,
} from '../frame/options.ts';
import type { Terminal } from '../frame/terminal.ts';

const scopeOptions = {
  workspace: option('--workspace <id>', 'scope: this workspace').conflicts('operator'),
  operator: option<true>(
    '--operator',
    'scope: the operator routes, /v1/messages and /v1/jwt/messages',
  ),
};

const scopeOf = ({
  options: { workspace, operator },
  misused,
}: CommandRun<OptionsOf<typeof scopeOptions>>): Scope => {
  if (operator) return operatorScope;
  if (workspace === undefined) return misused('give either --workspace or --operator');
  const scope = workspaceScope(workspace);
  if (scope === undefined) throw new CommandRefused(`"${workspace}" is not a workspace id.`);
  return scope;
};

const providerRecord = (
  provider: IdentityProvider,
  bindings: readonly ClientBinding[],
): object => ({
  issuer: provider.issuer,
  jwks_uri: provider.jwksUri,
  audience: provider.audience,
  client_claim: provider.clientClaim,
  clients: bindings
    .filter(({ issuer }) => issuer === provider.issuer)
    .map(({ client, connection }) => `${client}=${connection}`),
  created_at: provider.createdAt,
});

const issuerOptions = {
  ...scopeOptions,
  issuer: required('--issuer <url>', 'exact iss claim of its tokens'),
};
const clientOption = required('--client <id>', "the client, exactly as in its tokens' claim");

/** As which connection a client acts now. */
const boundNow = async (
  { identityProviders }: OperatorPorts,
  { scope, issuer, client }: Pick<ClientBinding, 'scope' | 'issuer' | 'client'>,
): Promise<ClientBinding | undefined> => {
  const all = await identityProviders.bindings(scope);
  return all.find(one => one.issuer === issuer && one.client === client);
};

export const idpCommand: CommandGroup = {
  name: 'idp',
  description: 'identity providers whose clients may act as producers',
  commands: [
    command({
      usage: 'add',
      description: 'register a token issuer; then bind its clients',
      options: {
        ...issuerOptions,
        jwksUri: required(
          '--jwks-uri <url>',
          'URL of its key set: https, public address, no redirects',
        ),
        audience: required('--audience <text>', 'aud claim of its tokens'),
        clientClaim: withDefault(
          option('--client-claim <claim>', 'the claim that identifies the client', clientClaims),
          'azp',
        ),
        allowInsecureLocal: flag(
          '--allow-insecure-local',
          'local service only: allow http and addresses on this machine',
        ),
      },
      async run(call) {
        const {
          issuer,
          jwksUri,
          audience,
          clientClaim,
          allowInsecureLocal: insecureLocal,
        } = call.options;
        const wanted = {
          scope: scopeOf(call),
          issuer,
          jwksUri,
          audience,
          clientClaim,
          insecureLocal,
        };
        const { ports, notes } = call;
        const { provider } = accepted(await addIdentityProvider(ports, wanted, ports.busIssuer));
        await notes.inWorkspace(wanted.scope, 'issuer.add', { issuer });
        return providerRecord(provider, []);
      },
    }),
    command({
      usage: 'list',
      description: 'list issuers and their clients',
      options: scopeOptions,
      async run(call) {
        const scope = scopeOf(call);
        const { identityProviders } = call.ports;
        const bindings = await identityProviders.bindings(scope);
        return (await identityProviders.list(scope)).map(provider =>
          providerRecord(provider, bindings),
        );
      },
    }),
    command({
      usage: 'remove',
      description: 'remove an issuer and its clients; their tokens stop working within 30 seconds',
      options: issuerOptions,
      async run(call) {
        const { issuer } = call.options;
        const scope = scopeOf(call);
        accepted(await removeIdentityProvider(call.ports, scope, issuer));
        await call.notes.inWorkspace(scope, 'issuer.remove', { issuer });
        return { issuer, removed: true };
      },
    }),
    command({
      usage: 'bind',
      description: 'let a client of an issuer act as a producer',
      options: {
        ...issuerOptions,
        client: clientOption,
        connection: required('--connection <id>', 'the producer connection it acts as'),
        move: flag('--move', 'take the client from the connection that it acts as now'),
      },
      async run(call) {
        const { issuer, client, connection, move } = call.options;
        const wanted = { scope: scopeOf(call), issuer, client, connection };
        const before = (await boundNow(call.ports, wanted))?.connection ?? connection;
        if (before !== connection && !move)
          throw new CommandRefused(
            `The client ${client} acts for the connection ${before}. To take it away from there, use --move.`,
          );
        const { binding } = accepted(
          await bindClient(call.ports, wanted, move ? undefined : 'if free'),
        );
        if (before !== connection)
          await call.notes.onId(before, 'client.unbind', { issuer, client });
        await call.notes.onId(connection, 'client.bind', { issuer, client });
        return { issuer, client, connection_id: connection, created_at: binding.createdAt };
      },
    }),
    command({
      usage: 'unbind',
      description: 'end what a client may do; its tokens stop working within 30 seconds',
      options: { ...issuerOptions, client: clientOption },
      async run(call) {
        const { issuer, client } = call.options;
        const named = { scope: scopeOf(call), issuer, client };
        const { binding } = accepted(await unbindClient(call.ports, named));
        await call.notes.onId(binding.connection, 'client.unbind', { issuer, client });
        return { issuer, client, removed: true };
      },
    }),
  ],
};

const principalRecord = ({
  id,
  connection,
  roleArn,
  status,
  createdAt,
  verifiedAt,
}: Principal): object => ({
  principal_id: id,
  connection_id: connection,
  role_arn: roleArn,
  status,
  created_at: createdAt,
  verified_at: verifiedAt ?? null,
});

/** Warns if the change leaves the connection's other roles unable to read their queue. */
const warnOfQueue = (terminal: Terminal, queue: ReadersSet | undefined): void => {
  if (queue === 'refused')
    terminal.error(
      'note: another verified role of this connection no longer exists in AWS: no role can ' +
        'read the queue until it is revoked.',
    );
};

export const principalCommand: CommandGroup = {
  name: 'principal',
  description: 'principals: cloud roles that act as connections',
  commands: [
    command({
      usage: 'register',
      description:
        'register a cloud role for a connection; its challenge is shown once and valid for 15 minutes',
      options: {
        ...scopeOptions,
        connection: required('--connection <id>', 'the connection the role acts as'),
        roleArn: required(
          '--role-arn <arn>',
          'ARN of the role, such as arn:aws:iam::123456789012:role/name',
        ),
      },
      async run(call) {
        const { connection, roleArn } = call.options;
        const scope = scopeOf(call);
        const registered = accepted(
          await registerPrincipal(call.ports, scope, { connection, roleArn }),
        );
        await call.notes.onId(connection, 'role.register', { role: roleArn });
        const { principal, challenge, queue } = registered;
        const until = principal.challenge && iso(principal.challenge.until);
        const shown = challenge === undefined ? {} : { challenge, challenge_until: until };
        call.print({ ...principalRecord(principal), ...shown });
        warnOfQueue(call.terminal, queue);
      },
    }),
    command({
      usage: 'list',
      description: 'list registered roles',
      options: scopeOptions,
      async run(call) {
        const scope = scopeOf(call);
        return (await call.ports.principals.list(scope)).map(principalRecord);
      },
    }),
    command({
      usage: 'revoke <id>',
      description: 'revoke a registered role',
      options: scopeOptions,
      async run(call, id) {
        const scope = scopeOf(call);
        const revoked = await revokePrincipal(call.ports, scope, id);
        if (!revoked) throw new CommandRefused(`There is no principal ${id} in this scope.`);
        const { principal, queue } = revoked;
        await call.notes.onId(principal.connection, 'role.end', { role: principal.roleArn });
        call.print(principalRecord(principal));
        warnOfQueue(call.terminal, queue);
      },
    }),
  ],
};

const roleName = matching(
  /^[\w+=,.@-]{1,64}$/,
  "A role's name is 1 to 64 letters, digits or characters of +=,.@_-",
);
const rolePath = matching(
  /^\/(?:[\w+=,.@-]+\/)*$/,
  "A role's path begins and ends with a slash, such as /newsroom/.",
);

export const roleCommand: CommandGroup = {
  name: 'role',
  description: 'cloud roles in the local service that can sign requests',
  commands: [
    command({
      usage: 'create',
      description: 'create a cloud role in the local service; its credentials are shown once',
      target: 'folder',
      options: {
        json: jsonOption,
        local: option<true>(
          '--local',
          'required: create it in the local service (for AWS, use IAM)',
        ),
        name: required('--name <name>', 'name of the role', roleName),
        path: withDefault(option('--path <path>', 'path of the role', rolePath), '/'),
      },
      run({ options: { local, name, path, data }, misused }) {
        if (!local) return misused('--local is required; for AWS, create the role in IAM');
        if (!existsSync(join(data, dataFiles.marker)))
          throw new StartRefusal(
            `The folder ${data} is not a data folder: start the service on it with "sombus ` +
              `dev --data ${data}".`,
          );
        const key = accessKeyRecord(createLocalRole(data, { name, path }));
        return { ...key, region: localAccount.region, service: signedService };
      },
    }),
  ],
};
