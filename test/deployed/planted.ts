import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { StackTemplate } from './assembly.ts';
import { newChecks } from './checks.ts';
import { day } from './day.ts';
import { invoke } from './functions.ts';
import { PortalObjects } from './portal-rows.ts';
import { openScene, type Scene, worked } from './portal-scene.ts';
import { type Changes, deploy, functionIn } from './redeploy.ts';
import { decisionsIn } from './rights.ts';
import { printed } from './shell.ts';
import { tokenOf } from './tokens.ts';
import { account, environment } from './tools.ts';
import { type Run, rootKeys, type World } from './world.ts';

interface Statement {
  Action: string | string[];
  Condition?: object;
}

interface Document {
  readonly Statement: Statement[];
}

/** Takes an action away from the role of a function. */
const withoutAction = (template: StackTemplate, functionId: string, action: string): void => {
  let taken = 0;
  for (const [id, { Properties = {} }] of Object.entries(template.Resources)) {
    if (!id.startsWith(functionId)) continue;
    const { PolicyDocument, Policies = [] } = Properties as {
      PolicyDocument?: Document;
      Policies?: { PolicyDocument: Document }[];
    };
    const documents = [
      ...(PolicyDocument ? [PolicyDocument] : []),
      ...Policies.map(one => one.PolicyDocument),
    ];
    for (const { Statement } of documents)
      for (const statement of Statement) {
        const actions = [statement.Action].flat();
        if (!actions.includes(action)) continue;
        taken += 1;
        // A statement needs an action: this one is of no use.
        statement.Action = [...actions.filter(one => one !== action), 'xray:PutTraceSegments'];
      }
  }
  assert.ok(taken > 0, `${functionId} has no right to ${action}.`);
};

interface Plant {
  readonly name: string;
  readonly changes: Changes;
  /** Does what shows it. @throws Error if nothing was found */
  readonly find: (found: Found) => Promise<void>;
}

interface Found {
  readonly run: Run;
  readonly world: World;
  readonly scene: Scene;
  /** Whether IAM has refused this since the fault was planted. */
  refused(functionName: string, action: string): boolean;
}

/** What a day with these faults ends with: failed checks. */
const failedDay = async (
  { run, world }: Pick<Found, 'run' | 'world'>,
  { deadline, pulls } = { deadline: 4_000, pulls: 2 },
): Promise<readonly string[]> => {
  const checks = newChecks(
    () => undefined,
    () => 0,
  );
  await day({ ...run, checks }, world, { links: 1, pulls, deadline });
  return checks.failures;
};

const refusedIn =
  (functionName: string, action: string, work: (found: Found) => Promise<unknown>) =>
  async (found: Found): Promise<void> => {
    await work(found).catch(() => undefined);
    assert.ok(
      found.refused(functionName, action),
      `nobody saw that ${functionName} lacks ${action}`,
    );
  };

const makeProducer = async ({ scene }: Found): Promise<unknown> =>
  new PortalObjects(scene).freshConnection('owner', 'producer');

const plants: readonly Plant[] = [
  {
    name: 'publish may not write items',
    changes: { bus: template => withoutAction(template, 'functionpublish', 'dynamodb:PutItem') },
    find: refusedIn('publish', 'dynamodb:PutItem', failedDay),
  },
  {
    name: 'pull may not receive from queues',
    changes: { bus: template => withoutAction(template, 'functionpull', 'sqs:ReceiveMessage') },
    find: refusedIn('pull', 'sqs:ReceiveMessage', failedDay),
  },
  {
    name: 'token may not sign',
    changes: { bus: template => withoutAction(template, 'functiontoken', 'kms:Sign') },
    find: refusedIn('token', 'kms:Sign', ({ world }) => tokenOf(world.baseUrl, world.producer)),
  },
  {
    name: 'the portal may not read items in batches',
    changes: {
      portal: template => withoutAction(template, 'functionportalcall', 'dynamodb:BatchGetItem'),
    },
    find: refusedIn('portal-call', 'dynamodb:BatchGetItem', makeProducer),
  },
  {
    name: 'the portal may not make keys of API Gateway',
    changes: {
      portal: template => withoutAction(template, 'functionportalcall', 'apigateway:POST'),
    },
    find: refusedIn('portal-call', 'apigateway:POST', makeProducer),
  },
  {
    name: 'the probe may not read its parameter',
    changes: { watch: template => withoutAction(template, 'Probe', 'ssm:GetParameter') },
    find: refusedIn('probe', 'ssm:GetParameter', () => invoke('probe')),
  },
  {
    name: 'the policy of the signing key names another role',
    changes: {
      stateful: template => {
        const [key] = Object.values(template.Resources).filter(
          ({ Type }) => Type === 'AWS::KMS::Key',
        );
        assert.ok(key?.Properties, 'there is no key');
        const text = JSON.stringify(key.Properties['KeyPolicy']);
        assert.match(text, /signer/);
        const changed = { KeyPolicy: JSON.parse(text.replaceAll('signer', 'nobody')) };
        Object.assign(key.Properties, changed);
      },
    },
    find: ({ world }) => assert.rejects(tokenOf(world.baseUrl, world.producer)),
  },
  {
    name: 'a variable of the portal names another table',
    changes: {
      portal: template => {
        const { Environment } = functionIn(template, 'portal-call');
        const { Variables } = Environment as { Variables: Record<string, string> };
        Variables['SOMBUS_REGISTRY_TABLE'] = 'sombus-sandbox-registri';
      },
    },
    find: ({ scene }) => assert.rejects(worked(scene.as('owner')('organisation.requests'))),
  },
  {
    name: 'a function throws when it is loaded',
    changes: {
      bus: template => {
        functionIn(template, 'relay')['Handler'] = 'absent.handler';
      },
    },
    find: () => assert.rejects(invoke('relay')),
  },
];

const asItWas = (changes: Changes): Changes =>
  Object.fromEntries(Object.keys(changes).map(name => [name, () => undefined]));

/** Gives the boundary another text, as a new default version. */
const setBoundary = ({ shell }: Run, text: string): Promise<string> =>
  printed(
    shell(
      rootKeys,
      `aws iam create-policy-version --set-as-default --policy-arn arn:aws:iam::${account}:policy/sombus-boundary --policy-document "$TEXT" --output text`,
      { TEXT: text },
    ),
  );

/** Plants one fault after the other, and looks whether the run finds it. */
export const planted = async (run: Run, world: World): Promise<void> => {
  const { checks, decisions: path } = run;
  checks.step('Planted faults');
  const scene = await openScene(world);
  const since = () => {
    const before = decisionsIn(path).length;
    return (name: string, action: string): boolean =>
      decisionsIn(path)
        .slice(before)
        .some(
          one =>
            !one.allowed &&
            one.action === action &&
            one.principal.endsWith(`/sombus-${environment}-${name}`),
        );
  };
  for (const { name, changes, find } of plants) {
    await checks.check(`found: ${name}`, async () => {
      await deploy(run, world, changes);
      await find({ run, world, scene, refused: since() });
      checks.count('planted faults found');
    });
    await deploy(run, world, asItWas(changes));
  }
  const boundary = readFileSync('docs/deploy/boundary.json', 'utf8');
  await checks.check('found: the boundary leaves queues out', async () => {
    await setBoundary(run, boundary.replaceAll('"sqs:SendMessage"', '"sqs:ListQueues"'));
    const found = { run, world, scene, refused: since() };
    await refusedIn('publish', 'sqs:SendMessage', failedDay)(found);
    checks.count('planted faults found');
  });
  await setBoundary(run, boundary);
  await checks.check('without a fault, nothing is found', async () => {
    // A queue that failed is not tried again for half a minute, and what waits for it is a
    // duplicate then.
    const patience = { deadline: 60_000, pulls: 20 };
    await failedDay({ run, world }, patience);
    assert.deepEqual(await failedDay({ run, world }, patience), []);
  });
};
