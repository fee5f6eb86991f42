import { readFileSync } from 'node:fs';
import { tableNames } from '../../lib/contract/tables.ts';
import { decide } from '../../lib/local/engines/iam.ts';
import { deploymentOf } from '../../scripts/permissions/deployment.ts';
import { running } from '../infra/support/stacks.ts';
import { infraApp, stacksOf } from '../infra/support/synthesise.ts';
import { things } from '../infra/support/things.ts';

const sandboxOf = (settings: object) => {
  const stacks = stacksOf(infraApp({ sandbox: settings }, ['sandbox']));
  return { stack: running(stacks), deployment: deploymentOf([...stacks.values()]) };
};
type Sandbox = ReturnType<typeof sandboxOf>;

/**
 * The tables of the registry, by the ends of their names, that publish may read a connection from.
 */
const reached = ({ deployment }: Sandbox, ends: readonly string[]) => {
  const role = deployment.roles.find(
    ({ functionName }) => functionName === 'sombus-sandbox-publish',
  );
  const thing = things.find(({ name }) => name === 'registry CONNECTION#1');
  return ends.filter(end => {
    const caller = { role: role?.arn ?? '', account: '111122223333' };
    const call = { caller, action: 'dynamodb:GetItem', resource: `${thing?.arn}${end}` };
    const context = thing?.context ?? {};
    return decide({ ...call, context }, { identity: role?.statements ?? [] }) === 'allowed';
  });
};

/**
 * The aliases that CodeDeploy moves; CloudFormation moves the others at once (CloudFormation:
 * "UpdatePolicy attribute").
 */
const shiftedOf = ({ stack }: Pick<Sandbox, 'stack'>) =>
  stack.ofType('AWS::Lambda::Alias').filter(({ UpdatePolicy }) => UpdatePolicy);

const tablesOf = ({ stack }: Sandbox) => {
  const { Variables } = stack.one(
    'AWS::Lambda::Function',
    one => one.FunctionName === 'sombus-sandbox-publish',
  ).Properties['Environment'];
  return tableNames.flatMap(name => Variables[`SOMBUS_${name.toUpperCase()}_TABLE`] ?? []);
};

const ends = ['', '-a', '-b'];

/** What the operator's commands read (`lib/cli/frame/target.ts`). */
const notedIn = ({ stack }: Sandbox) => {
  const { Properties } = stack.one(
    'AWS::SSM::Parameter',
    ({ Name }) => Name === '/sombus/sandbox/tables',
  );
  return JSON.parse(Properties['Value']);
};

describe.each([
  ['the first restore', { restoring: 'a' }, ['', '-a'], 'a'],
  ['a second restore', { restored: 'a', restoring: 'b' }, ['-a', '-b'], 'b'],
])('while restored tables take over (%s)', (_which, sandbox, both, suffix) => {
  const taking = sandboxOf(sandbox);

  it('roles reach the old tables and the new ones: the old code runs until the new one does', () => {
    expect(reached(taking, ends)).toEqual(both);
    expect(tablesOf(taking)).toEqual(
      ['registry', 'ledger', 'activity'].map(name => `sombus-sandbox-${name}-${suffix}`),
    );
  });

  it('the operator’s commands find the new ones', () => {
    expect(notedIn(taking)).toEqual(
      Object.fromEntries(tableNames.map(name => [name, `sombus-sandbox-${name}-${suffix}`])),
    );
  });

  it('new code gets all requests at once, and no alarm of the old code stops it', () => {
    expect(taking.stack.ofType('AWS::Lambda::Alias').length).toBeGreaterThan(20);
    expect(shiftedOf(taking)).toEqual([]);
  });
});

describe('a release while an API fails', () => {
  it('is not stopped by the alarm that rings: -c atOnce=true', () => {
    const stacks = stacksOf(infraApp({ atOnce: 'true' }, ['sandbox']));
    expect(shiftedOf({ stack: running(stacks) })).toEqual([]);
    const undoing =
      /^## Rolling back\n(.+?)^## /ms.exec(readFileSync('docs/runbook.md', 'utf8'))?.[1] ?? '';
    expect(undoing).toContain('npx cdk deploy --exclusively -c atOnce=true sombus-$ENV-bus');
  });
});

describe('when they have taken over', () => {
  const taken = sandboxOf({ restored: 'a' });

  it('roles reach nothing else, and releases are watched again', () => {
    expect(reached(taken, ends)).toEqual(['-a']);
    expect(shiftedOf(taken)).toHaveLength(taken.stack.ofType('AWS::Lambda::Alias').length);
  });
});
