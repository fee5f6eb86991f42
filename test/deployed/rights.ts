import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Statement } from '../../lib/local/engines/iam.ts';
import { deploymentOf, templateStack } from '../../scripts/permissions/deployment.ts';
import { rightLine, seenRights } from '../../scripts/permissions/page.ts';
import { stackNames } from './assembly.ts';
import { elsewhere, environment, workFolder } from './tools.ts';
import type { Run } from './world.ts';

/** A decision of IAM, as `emulator/launch.py` writes it. */
interface IamDecision {
  readonly principal: string;
  readonly action: string;
  readonly resource: string;
  readonly allowed: boolean;
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** One action on one kind of thing that a function may do. */
interface Right {
  readonly functionName: string;
  readonly action: string;
  readonly resource: string;
  /** Of a table: the partition keys; absent where any does. */
  readonly key?: string;
}

/** Refusals that a check asked for. */
const wantedRefusals: readonly { readonly principal: RegExp; readonly action: RegExp }[] = [
  // Cloud roles try the queues of others, and what the policies of queues give nobody.
  { principal: /assumed-role\/newsroom-/, action: /^(sqs|execute-api):/ },
  // Until a lost region is recovered, the functions elsewhere sign with a key that is not there.
  { principal: new RegExp(`:${elsewhere.account}:assumed-role/.*token`), action: /^kms:Sign$/ },
];

/** Rights that no call of a function needs here, and why. */
const neededElsewhere: readonly { readonly action: RegExp; readonly why: string }[] = [
  { action: /^(logs|xray):/, why: 'Lambda itself writes logs and traces' },
];

export const sessionOf = ({ principal }: IamDecision): string => principal.split('/').at(-1) ?? '';

/** What IAM decided until now. */
export const decisionsIn = (path: string): readonly IamDecision[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));

const list = (value: string | readonly string[]): readonly string[] => [value].flat();

const fits = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  ).test(text);

const keysIn = ({ Condition = {} }: Statement): readonly (string | undefined)[] => {
  const keys = Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
  return keys === undefined ? [undefined] : list(keys);
};

const rightsOf = (): readonly Right[] => {
  const folder = join(workFolder, 'assemblies/plain');
  const stacks = stackNames.map(name => {
    const stack = `sombus-${environment}-${name}`;
    return templateStack(
      stack,
      JSON.parse(readFileSync(join(folder, `${stack}.template.json`), 'utf8')),
    );
  });
  return deploymentOf(stacks).roles.flatMap(({ functionName, statements }) =>
    functionName === undefined
      ? []
      : statements.flatMap(statement =>
          list(statement.Action).flatMap(action =>
            list(statement.Resource).flatMap(resource =>
              keysIn(statement).map(key => ({
                functionName,
                action,
                resource,
                ...(key === undefined ? {} : { key }),
              })),
            ),
          ),
        ),
  );
};

const uses = (decision: IamDecision, { functionName, action, resource, key }: Right): boolean => {
  if (!decision.allowed || sessionOf(decision) !== functionName) return false;
  if (decision.action !== action || !fits(resource, decision.resource)) return false;
  const named = decision.context['dynamodb:leadingkeys'] ?? [];
  return key === undefined || named.some(one => fits(key, one));
};

/** What every role was refused, which is an error, and what no function ever did. */
export const whoDidWhat = async ({ checks, decisions: path }: Run): Promise<void> => {
  checks.step('Who did what');
  const decisions = decisionsIn(path);
  checks.count('calls of roles', decisions.length);
  const isWanted = ({ principal, action }: IamDecision) =>
    wantedRefusals.some(one => one.principal.test(principal) && one.action.test(action));
  await checks.check('no role was refused anything', () => {
    const refused = decisions.filter(one => !one.allowed);
    checks.count('wanted refusals', refused.filter(isWanted).length);
    const lines = refused
      .filter(one => !isWanted(one))
      .map(one => `${sessionOf(one)} ${one.action} ${one.resource} ${JSON.stringify(one.context)}`);
    assert.deepEqual([...new Set(lines)], []);
  });
  const rights = rightsOf().filter(
    ({ action }) => !neededElsewhere.some(one => one.action.test(action)),
  );
  const used = rights.filter(right => decisions.some(decision => uses(decision, right)));
  const unused = rights.filter(right => !used.includes(right));
  writeFileSync(
    join(workFolder, 'used-rights.txt'),
    [...new Set(used.map(right => `${rightLine(right)}\n`))].sort().join(''),
  );
  const file = join(workFolder, 'unused-rights.txt');
  writeFileSync(file, unused.map(right => `${rightLine(right)}\n`).join(''));
  checks.count('rights that nobody used', unused.length);
  const known = seenRights();
  const fresh = used.filter(right => !known.has(rightLine(right)));
  if (fresh.length > 0)
    checks.note(
      `used-rights.txt beside it has ${fresh.length} that scripts/permissions/seen.txt lacks`,
    );
  checks.note(`${file} lists the rights that nobody used`);
};
