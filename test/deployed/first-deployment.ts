import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { commandIn, commandsIn } from './runbook.ts';
import { type Keys, printed } from './shell.ts';
import { environment, region } from './tools.ts';
import { keepWorld, type Run, rootKeys, type World } from './world.ts';

const heading = '## Before the first deployment';

/**
 * What a deployer needs of IAM with a bootstrapped account (CDK: "Security", "Grant permissions to
 * assume the roles").
 */
const deployersPolicy = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Resource: 'arn:aws:iam::*:role/cdk-hnb659fds-*',
    },
  ],
};

/** Makes a user of IAM with one policy, and returns its keys. */
const makeUser = async (
  { shell }: Pick<Run, 'shell'>,
  root: Keys,
  user: { readonly name: string; readonly policy: string },
): Promise<Keys> => {
  const { name, policy } = user;
  const made = await printed(
    shell(
      root,
      `aws iam create-user --user-name ${name} --output text >/dev/null
       aws iam put-user-policy --user-name ${name} --policy-name own --policy-document "$POLICY"
       aws iam create-access-key --user-name ${name} --output json`,
      { POLICY: policy },
    ),
  );
  const { AccessKeyId, SecretAccessKey } = JSON.parse(made).AccessKey;
  return { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey };
};

const outputOf = (path: string, stack: string, name: string): string => {
  const outputs = JSON.parse(readFileSync(path, 'utf8'));
  const value = outputs[`sombus-${environment}-${stack}`]?.[name];
  assert.equal(typeof value, 'string', `The stack ${stack} has no output ${name}.`);
  return value;
};

/** What the administrator of an empty account does before a first deployment. */
export const prepareAccount = async (
  { checks, shell }: Pick<Run, 'checks' | 'shell'>,
  root: Keys,
): Promise<Pick<World, 'deployer' | 'operator'>> => {
  await checks.check(
    'the administrator makes the policies and bootstraps the account',
    async () => {
      const text = commandsIn(heading, 'cdk bootstrap');
      await printed(shell(root, `${text.trim()} aws://$ACCOUNT/$AWS_REGION`));
    },
  );
  const policy = JSON.stringify(deployersPolicy);
  const deployer = await makeUser({ shell }, root, { name: 'deployer', policy });
  const operatorPolicy = readFileSync('docs/deploy/operator.json', 'utf8');
  const user = { name: 'operator', policy: operatorPolicy };
  return { deployer, operator: await makeUser({ shell }, root, user) };
};

/** From an empty account to an organisation with a producer and a consumer, as the runbook says. */
export const firstDeployment = async (run: Run, outputs: string): Promise<World> => {
  const { checks, shell } = run;
  checks.step('First deployment');
  const { deployer, operator } = await prepareAccount(run, rootKeys);
  const as = (keys: Keys, words: string) => printed(shell(keys, commandIn(heading, words)));
  await checks.check('doctor --aws looks at the account before anything is deployed', async () => {
    const { out } = await shell(operator, commandIn(heading, 'doctor --aws $ENV'));
    assert.match(out, /not deployed yet/);
  });
  const { PREVIOUS: previous } = run.env;
  const from =
    previous === undefined
      ? 'the deployer deploys the four stacks'
      : 'the deployer deploys the four stacks of the commit before';
  const isDeployed = await checks.check(from, async () => {
    const assembly = previous === undefined ? {} : { ASSEMBLY: previous };
    await printed(shell(deployer, commandsIn(heading, 'cdk deploy'), assembly));
  });
  if (!isDeployed) throw new Error('Nothing was deployed, so nothing else can be looked at.');
  await checks.check('doctor --aws --ring: every line is ok', async () => {
    const { code, out, err } = await shell(
      operator,
      commandIn(heading, 'doctor --aws $ENV --ring'),
    );
    assert.equal(code, 0, out + err);
    assert.match(out, /published, pulled and acknowledged/);
  });
  await checks.check('the probe gets its connections and sends a message', () =>
    as(operator, 'aws probe'),
  );
  await checks.check('the operator lets themselves into the portal', () =>
    as(operator, 'aws first-operator'),
  );
  const json = async (command: string) =>
    JSON.parse(await printed(shell(operator, `${command} --json`)));
  let made: Partial<World> = {};
  await checks.check(
    'the operator makes an organisation, a workspace and two connections',
    async () => {
      const { organisation_id } = await json(commandIn(heading, 'sombus org create'));
      const { workspace_id } = await json(
        `sombus workspace create --environment $ENV --name Newsroom --org ${organisation_id}`,
      );
      const create = `sombus connection create --environment $ENV --workspace ${workspace_id}`;
      const producer = await json(
        `${create} --kind producer --app ncs --system-id demo-ncs --grant '*'`,
      );
      const consumer = await json(`${create} --kind consumer --app archive`);
      const client = ({ connection_id, client_secret, ...rest }: Record<string, string>) => ({
        ...rest,
        client_id: connection_id,
        client_secret,
      });
      made = {
        organisation: organisation_id,
        workspace: workspace_id,
        producer: client(producer) as World['producer'],
        consumer: client(consumer) as World['consumer'],
      };
    },
  );
  const issuer = await printed(
    shell(
      rootKeys,
      'aws cognito-idp list-user-pools --max-results 9 --query "UserPools[0].Id" --output text',
    ),
  );
  const world = {
    ...made,
    ...{ deployer, operator },
    baseUrl: outputOf(outputs, 'bus', 'BaseUrl'),
    portalUrl: outputOf(outputs, 'portal', 'PortalUrl'),
    poolId: issuer,
  } as World;
  assert.match(
    world.baseUrl,
    new RegExp(`^https://\\w+\\.execute-api\\.${region}\\.amazonaws\\.com/v1$`),
  );
  keepWorld(world);
  return world;
};
