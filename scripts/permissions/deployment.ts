import type { IamCaller, Policies, Statement } from '../../lib/local/engines/iam.ts';

// What a synthesised environment allows whom: roles, policies and resources of its templates, with
// references replaced.

/** One resource of a template. */
export interface TemplateResource {
  readonly id: string;
  readonly Type: string;
  readonly Properties?: ReturnType<typeof JSON.parse>;
}

/** A synthesised stack: its resources, and what it exports to others. */
export interface TemplateStack {
  readonly name: string;
  readonly resources: readonly TemplateResource[];
  readonly exports: Readonly<Record<string, unknown>>;
}

interface Template {
  readonly Resources: Readonly<Record<string, Omit<TemplateResource, 'id'>>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>
  >;
}

/** A stack as its template describes it. */
export const templateStack = (
  name: string,
  { Resources, Outputs = {} }: Template,
): TemplateStack => ({
  name,
  resources: Object.entries(Resources).map(([id, resource]) => ({ id, ...resource })),
  exports: Object.fromEntries(
    Object.values(Outputs).flatMap(({ Export, Value }) => {
      if (Export) return [[Export.Name, Value]];
      return [];
    }),
  ),
});

/** Any account and region do: templates name none. */
export const place = {
  partition: 'aws',
  account: '111122223333',
  region: 'eu-west-1',
  suffix: 'amazonaws.com',
};
const { partition, account, region, suffix } = place;

const pseudo: Readonly<Record<string, string>> = {
  'AWS::Partition': partition,
  'AWS::AccountId': account,
  'AWS::Region': region,
  'AWS::URLSuffix': suffix,
};

const arn = (service: string, rest: string): string =>
  `arn:${partition}:${service}:${region}:${account}:${rest}`;

/** The ARN that AWS would give a resource; its logical id stands for what AWS would invent. */
const arnOf = ({ id, Type, Properties = {} }: TemplateResource): string => {
  switch (Type) {
    case 'AWS::IAM::Role':
      return `arn:${partition}:iam::${account}:role${Properties.Path ?? '/'}${Properties.RoleName ?? id}`;
    case 'AWS::DynamoDB::Table':
      return arn('dynamodb', `table/${Properties.TableName}`);
    case 'AWS::KMS::Key':
      return arn('kms', `key/${id}`);
    case 'AWS::SQS::Queue':
      return arn('sqs', Properties.QueueName);
    case 'AWS::SNS::Topic':
      return arn('sns', Properties.TopicName);
    case 'AWS::Logs::LogGroup':
      return arn('logs', `log-group:${Properties.LogGroupName}:*`);
    case 'AWS::Lambda::Function':
      return arn('lambda', `function:${Properties.FunctionName}`);
    case 'AWS::Backup::BackupVault':
      return arn('backup', `backup-vault:${Properties.BackupVaultName}`);
    case 'AWS::KinesisFirehose::DeliveryStream':
      return arn('firehose', `deliverystream/${Properties.DeliveryStreamName}`);
    case 'AWS::S3::Bucket':
      return `arn:${partition}:s3:::sombus-${id.toLowerCase()}`;
    case 'AWS::Cognito::UserPool':
      return arn('cognito-idp', `userpool/${id}`);
    case 'AWS::CloudWatch::Alarm':
      return arn('cloudwatch', `alarm:${Properties.AlarmName}`);
    default:
      return arn('other', id);
  }
};

const referenceOf = (resource: TemplateResource): string => {
  if (resource.Type === 'AWS::SNS::Topic') return arnOf(resource);
  return resource.Properties?.TableName ?? resource.id;
};

/** A role of an environment: a function's, or another's. */
export interface DeployedRole {
  readonly arn: string;
  /** The function that runs as it; absent for the roles of AWS's own services. */
  readonly functionName?: string;
  readonly statements: readonly Statement[];
}

/** What of an environment decides about calls. */
export interface Deployment {
  readonly roles: readonly DeployedRole[];
  readonly resources: readonly {
    readonly type: string;
    readonly id: string;
    readonly arn: string;
  }[];
  /** The policies that apply to a call about a resource. */
  policiesFor(caller: IamCaller, resource: string): Policies;
}

const text = (value: unknown): string => {
  if (typeof value !== 'string')
    throw new Error(`${JSON.stringify(value)} is no text after its references are replaced.`);
  return value;
};

/** Replaces the references of a template's value. */
const resolver = (stacks: readonly TemplateStack[]) => {
  const imports = Object.assign({}, ...stacks.map(stack => stack.exports)) as Record<
    string,
    unknown
  >;
  const own = new Map(
    stacks.flatMap(stack => stack.resources.map(one => [`${stack.name}/${one.id}`, one] as const)),
  );
  const homeOf = new Map(
    stacks.flatMap(stack => Object.keys(stack.exports).map(name => [name, stack] as const)),
  );
  const found = (stack: TemplateStack, id: string): TemplateResource => {
    const resource = own.get(`${stack.name}/${id}`);
    if (!resource) throw new Error(`${stack.name} has no resource ${id}.`);
    return resource;
  };
  const resolve = (stack: TemplateStack, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(item => resolve(stack, item));
    if (typeof value !== 'object' || value === null) return value;
    const [[name, argument] = ['', undefined], ...more] = Object.entries(value);
    if (more.length === 0 && name === 'Ref')
      return pseudo[argument] ?? referenceOf(found(stack, argument));
    if (more.length === 0 && name === 'Fn::GetAtt') return arnOf(found(stack, argument[0]));
    if (more.length === 0 && name === 'Fn::Join')
      return argument[1].map((part: unknown) => text(resolve(stack, part))).join(argument[0]);
    if (more.length === 0 && name === 'Fn::ImportValue') {
      const home = homeOf.get(argument);
      if (!home) throw new Error(`Nothing exports ${argument}.`);
      return resolve(home, imports[argument]);
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, resolve(stack, member)]),
    );
  };
  return resolve;
};

/** Reads who may do what from the stacks of one environment. */
export const deploymentOf = (stacks: readonly TemplateStack[]): Deployment => {
  const resolve = resolver(stacks);
  const all = stacks.flatMap(stack => stack.resources.map(one => ({ stack, one })));
  const ofType = (type: string) => all.filter(({ one }) => one.Type === type);
  const statementsIn = (stack: TemplateStack, document: { readonly Statement: unknown }) =>
    [resolve(stack, document.Statement)].flat() as readonly Statement[];
  const roles = ofType('AWS::IAM::Role').map(({ stack, one }): DeployedRole => {
    const attached = stack.resources.filter(
      ({ Type, Properties }) =>
        Type === 'AWS::IAM::Policy' &&
        Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === one.id),
    );
    const managedIds = (
      (one.Properties.ManagedPolicyArns ?? []) as readonly { readonly Ref?: string }[]
    ).map(({ Ref }) => Ref);
    const managed = stack.resources.filter(
      ({ id, Type }) => Type === 'AWS::IAM::ManagedPolicy' && managedIds.includes(id),
    );
    const inline = (one.Properties.Policies ?? []) as readonly {
      PolicyDocument: { Statement: unknown };
    }[];
    const runs = ofType('AWS::Lambda::Function').find(
      ({ one: { Properties } }) => Properties.Role?.['Fn::GetAtt']?.[0] === one.id,
    );
    return {
      arn: arnOf(one),
      ...(runs?.one.Properties.FunctionName && { functionName: runs.one.Properties.FunctionName }),
      statements: [
        ...[...attached, ...managed].map(({ Properties }) => Properties),
        ...inline,
      ].flatMap(({ PolicyDocument }) => statementsIn(stack, PolicyDocument)),
    };
  });
  const keyPolicies = ofType('AWS::KMS::Key').map(
    ({ stack, one }) => [arnOf(one), statementsIn(stack, one.Properties.KeyPolicy)] as const,
  );
  const attachedTo = (type: string, target: string) =>
    ofType(type).flatMap(({ stack, one }) =>
      (one.Properties[target] as readonly unknown[]).map(resource => {
        const named = text(resolve(stack, resource));
        const about = all.find(({ one: other }) => other.id === named || arnOf(other) === named);
        return [
          about ? arnOf(about.one) : named,
          statementsIn(stack, one.Properties.PolicyDocument),
        ] as const;
      }),
    );
  const policies = new Map<string, readonly Statement[]>([
    ...keyPolicies.map(([key, statements]) => [key, withResource(statements, key)] as const),
    ...attachedTo('AWS::SNS::TopicPolicy', 'Topics'),
    ...attachedTo('AWS::SQS::QueuePolicy', 'Queues'),
  ]);
  return {
    roles,
    resources: all.map(({ one }) => ({ type: one.Type, id: one.id, arn: arnOf(one) })),
    policiesFor(caller, resource) {
      const identity =
        'role' in caller ? roles.find(role => role.arn === caller.role)?.statements : undefined;
      const its = policies.get(resource);
      return { identity: identity ?? [], ...(its && { resource: its }) };
    },
  };
};

/** A key's policy says `*` where it means the key (KMS: "Resource element in a key policy"). */
const withResource = (statements: readonly Statement[], key: string): readonly Statement[] =>
  statements.map(statement => ({ ...statement, Resource: key }));
