import { Command, Option } from 'commander';
import { addIdentityProvider, bindClient } from '../registry/identity-providers.ts';
import type { ClientBinding } from '../registry/ports.ts';
import { type ClientClaim, clientClaims, type IdentityProvider } from '../registry/registry.ts';
import { accepted, type CommandContext, newNotes, Refused } from './command.ts';
import { type CommonOptions, common, type ScopeOptions, scoped, scopeOf } from './options.ts';
import { printRecord, printTable } from './print.ts';

type ScopedOptions = CommonOptions & ScopeOptions & { readonly issuer: string };

interface AddOptions extends ScopedOptions {
  readonly jwksUri: string;
  readonly audience: string;
  readonly clientClaim: ClientClaim;
  readonly allowInsecureLocal: boolean;
}

interface BindOptions extends ScopedOptions {
  readonly client: string;
  readonly connection: string;
}

const record = (provider: IdentityProvider, bindings: readonly ClientBinding[]): object => ({
  issuer: provider.issuer,
  jwks_uri: provider.jwksUri,
  audience: provider.audience,
  client_claim: provider.clientClaim,
  clients: bindings
    .filter(({ issuer }) => issuer === provider.issuer)
    .map(({ client, connection }) => `${client}=${connection}`),
  created_at: provider.createdAt,
});

const withIssuer = (command: Command): Command =>
  scoped(common(command)).requiredOption('--issuer <url>', 'exact iss claim of its tokens');

const addCommand = ({ terminal, registry }: CommandContext): Command =>
  withIssuer(new Command('add'))
    .description('register a token issuer; then bind its clients')
    .requiredOption('--jwks-uri <url>', 'URL of its key set: https, public address, no redirects')
    .requiredOption('--audience <text>', 'aud claim of its tokens')
    .addOption(
      new Option('--client-claim <claim>', 'the claim that identifies the client')
        .choices(clientClaims)
        .default('azp'),
    )
    .option('--allow-insecure-local', 'local service only: allow http and addresses on this machine', false)
    .action(async (options: AddOptions, command: Command) => {
      const { issuer, jwksUri, audience, clientClaim, allowInsecureLocal, data, json } = options;
      const wanted = { scope: scopeOf(options, command), issuer, jwksUri, audience, clientClaim };
      const ports = registry(data);
      const provider = { ...wanted, insecureLocal: allowInsecureLocal };
      const result = accepted(await addIdentityProvider(ports, provider, ports.busIssuer));
      await newNotes(terminal, ports).inWorkspace(wanted.scope, 'issuer.add', { issuer });
      printRecord(terminal, record(result.provider, []), json);
    });

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  scoped(common(new Command('list').description('list issuers and their clients'))).action(
    async (options: CommonOptions & ScopeOptions, command: Command) => {
      const { identityProviders } = registry(options.data);
      const scope = scopeOf(options, command);
      const bindings = await identityProviders.bindings(scope);
      const records = (await identityProviders.list(scope)).map(provider => record(provider, bindings));
      printTable(terminal, records, options.json);
    },
  );

const removeCommand = ({ terminal, registry }: CommandContext): Command =>
  withIssuer(new Command('remove'))
    .description('remove an issuer and its clients; their tokens stop working within 30 seconds')
    .action(async (options: ScopedOptions, command: Command) => {
      const { issuer, data, json } = options;
      const [ports, scope] = [registry(data), scopeOf(options, command)];
      const removed = await ports.identityProviders.remove(scope, issuer);
      if (!removed) throw new Refused(`The issuer ${issuer} is not registered in this scope.`);
      await newNotes(terminal, ports).inWorkspace(scope, 'issuer.remove', { issuer });
      printRecord(terminal, { issuer, removed }, json);
    });

const bindCommand = ({ terminal, registry }: CommandContext): Command =>
  withIssuer(new Command('bind'))
    .description('let a client of an issuer act as a producer')
    .requiredOption('--client <id>', "the client, exactly as in its tokens' claim")
    .requiredOption('--connection <id>', 'the producer connection it acts as')
    .action(async (options: BindOptions, command: Command) => {
      const { issuer, client, connection, data, json } = options;
      const wanted = { scope: scopeOf(options, command), issuer, client, connection };
      const ports = registry(data);
      const result = accepted(await bindClient(ports, wanted));
      await newNotes(terminal, ports).onId(connection, 'client.bind', { issuer, client });
      const { createdAt: created_at } = result.binding;
      printRecord(terminal, { issuer, client, connection_id: connection, created_at }, json);
    });

const unbindCommand = ({ terminal, registry }: CommandContext): Command =>
  withIssuer(new Command('unbind'))
    .description('end what a client may do; its tokens stop working within 30 seconds')
    .requiredOption('--client <id>', "the client, exactly as in its tokens' claim")
    .action(async (options: ScopedOptions & { readonly client: string }, command: Command) => {
      const { issuer, client, data, json } = options;
      const [ports, scope] = [registry(data), scopeOf(options, command)];
      const bound = (await ports.identityProviders.bindings(scope)).find(
        one => one.issuer === issuer && one.client === client,
      );
      const removed = await ports.identityProviders.unbind(scope, issuer, client);
      if (!removed) throw new Refused(`The client ${client} of ${issuer} is not bound in this scope.`);
      await newNotes(terminal, ports).onId(bound?.connection ?? '', 'client.unbind', { issuer, client });
      printRecord(terminal, { issuer, client, removed }, json);
    });

export const idpCommand = (context: CommandContext): Command => {
  const command = new Command('idp').description('identity providers whose clients may act as producers');
  for (const make of [addCommand, listCommand, removeCommand, bindCommand, unbindCommand])
    command.addCommand(make(context));
  return command;
};
