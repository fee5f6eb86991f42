import { type Command, Option } from 'commander';
import { operatorScope, type Scope, workspaceScope } from '../domain/registry/principal.ts';
import { Refused } from './exit-codes.ts';

/** Where an identity from outside counts. */
export interface ScopeOptions {
  readonly workspace?: string;
  readonly operator?: true;
}

/** The options that name a scope: one of them is needed. */
export const scoped = (command: Command): Command =>
  command
    .addOption(new Option('--workspace <id>', 'the workspace it counts in').conflicts('operator'))
    .option('--operator', "for the operator's own routes, /v1/messages and /v1/jwt/messages");

/** The scope that the options name. */
export const scopeOf = ({ workspace, operator }: ScopeOptions, command: Command): Scope => {
  if (operator) return operatorScope;
  if (workspace === undefined) command.error('error: one of --workspace and --operator is needed');
  const scope = workspaceScope(workspace ?? '');
  if (scope === undefined) throw new Refused(`"${workspace}" is no workspace id.`);
  return scope;
};
