import { Command, Option } from 'commander';
import {
  addIdentityProvider,
  bindClient,
  type ClientBinding,
  type ClientClaim,
  clientClaims,
  type IdentityProvider,
} from '../registry/identity-providers.ts';
import { type CommandContext, type CommonOptions, common, Refused } from './command.ts';
import { type ScopeOptions, scoped, scopeOf } from './options.ts';
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
  scoped(common(command)).requiredOption('--issuer <url>', "exactly the tokens' iss");

const addCommand = ({ terminal, registry }: CommandContext): Command =>
  withIssuer(new Command('add'))
    .description('register an issuer of tokens; its clients work once they are bound')
    .requiredOption('--jwks-uri <url>', 'where it publishes its keys: https, a public address, no redirect')
    .requiredOption('--audience <text>', "what its tokens' aud names")
    .addOption(
      new Option('--client-claim <claim>', 'the claim that names the client')
        .choices(clientClaims)
        .default('azp'),
    )
    .option('--allow-insecure-local', 'local service only: http and addresses of this machine', false)
    .action(async (options: AddOptions, command: Command) => {
      const { issuer, jwksUri, audience, clientClaim, allowInsecureLocal, data, json } = options;
      const wanted = { scope: scopeOf(options, command), issuer, jwksUri, audience, clientClaim };
      const ports = registry(data);
      const provider = { ...wanted, insecureLocal: allowInsecureLocal };
      const result = await addIdentityProvider(ports, provider, ports.busIssuer);
      if (result.kind === 'declined') throw new Refused(result.reason);
      printRecord(terminal, record(result.provider, []), json);
    });

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  scoped(common(new Command('list'))).action(
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
    .description('remove an issuer with its clients: their tokens stop working within 30 seconds')
    .action(async (options: ScopedOptions, command: Command) => {
      const { issuer, data, json } = options;
      const removed = await registry(data).identityProviders.remove(scopeOf(options, command), issuer);
      if (!removed) throw new Refused(`The issuer ${issuer} is not registered there.`);
      printRecord(terminal, { issuer, removed }, json);
    });

const bindCommand = ({ terminal, registry }: CommandContext): Command =>
  withIssuer(new Command('bind'))
    .description('let a client of an issuer act for a producer')
    .requiredOption('--client <id>', "the client, as the token's claim names it")
    .requiredOption('--connection <id>', 'the producer it acts for')
    .action(async (options: BindOptions, command: Command) => {
      const { issuer, client, connection, data, json } = options;
      const wanted = { scope: scopeOf(options, command), issuer, client, connection };
      const result = await bindClient(registry(data), wanted);
      if (result.kind === 'declined') throw new Refused(result.reason);
      const { createdAt: created_at } = result.binding;
      printRecord(terminal, { issuer, client, connection_id: connection, created_at }, json);
    });

/** `sombus idp add|list|remove|bind`. */
export const idpCommand = (context: CommandContext): Command => {
  const command = new Command('idp').description('identity providers whose clients act for connections');
  for (const make of [addCommand, listCommand, removeCommand, bindCommand]) command.addCommand(make(context));
  return command;
};
