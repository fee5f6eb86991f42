import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Statement } from '../../lib/local/engines/iam.ts';
import type { Deployment } from './deployment.ts';

// Who may do what, as a page: the statements of the synthesised roles in words, and nothing from
// elsewhere.

/** One line of the page: some actions of a function on some things. */
export interface Permission {
  readonly functionName: string;
  readonly actions: readonly string[];
  readonly on: string;
  /** The same as the statement names it. */
  readonly resource: string;
  /** Only for items with these partition keys, if given. */
  readonly keys: readonly string[];
  /** Only for writes that name these attributes alone, if given. */
  readonly attributes: readonly string[];
}

const list = (value: string | readonly string[] = []): readonly string[] => {
  if (typeof value === 'string') return [value];
  return value;
};

/** What an ARN of a statement means, in words. Longer beginnings come first. */
const meanings: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/:table\/sombus-\w+-(\w+)\/index\/(\w+)$/, 'index `$2` of the $1'],
  [/:table\/sombus-\w+-(\w+)$/, 'items of the $1'],
  [/:sqs:.*:sombus-c\*\.fifo$/, 'consumers’ queues'],
  [/:sqs:.*:sombus-\w+-failed-runs$/, 'queue of failed runs'],
  [/:apigateway:.*::\/apikeys(?:\/\*)?$/, 'keys of connections at the gateway'],
  [/:apigateway:.*::\/usageplans(?:\/\*)?$/, 'usage plans'],
  [/:apigateway:.*::\/usageplans\/\*\/keys(?:\/\*)?$/, 'keys on usage plans'],
  [/:kms:.*:key\/\*$/, 'signing keys'],
  [/:lambda:.*:function:sombus-\w+-([\w-]+)$/, 'function `$1`'],
  [/:ssm:.*:parameter\/sombus\/\w+\/probe$/, 'parameter with the probe’s credentials'],
  [/:cognito-idp:.*:userpool\/.*$/, 'pool of people'],
  [/:codedeploy:.*:deploymentgroup:[\w-]+\/\*$/, 'releases'],
  [/:cloudwatch:.*:alarm:sombus-\w+-\*$/, 'alarms of the environment'],
  [/:logs:.*:log-group:\/sombus\/\w+\/[\w-]+:\*$/, 'the log of its stack'],
];

/** @throws Error for something that the page has no words for: add them to `meanings` */
const wordsFor = (resource: string): string => {
  for (const [pattern, words] of meanings) {
    if (pattern.test(resource)) return resource.replace(new RegExp(`^.*${pattern.source}`), words);
  }
  throw new Error(`The page of permissions has no words for ${resource}.`);
};

/** Services whose actions belong to no resource. */
const withoutResources: Readonly<Record<string, string>> = {
  xray: 'X-Ray',
  cloudwatch: 'metrics of CloudWatch',
};

const serviceOf = (action: string): string => action.slice(0, action.indexOf(':'));

/** The things that a statement is about, each with the actions on it. */
const thingsIn = ({
  Action,
  Resource,
}: Statement): readonly Pick<Permission, 'on' | 'actions' | 'resource'>[] =>
  list(Resource).flatMap(resource => {
    if (resource !== '*') return [{ on: wordsFor(resource), actions: list(Action), resource }];
    const services = [...new Set(list(Action).map(serviceOf))];
    return services.map(service => {
      const on = withoutResources[service];
      if (on === undefined)
        throw new Error(`The page of permissions has no words for all of ${service}.`);
      const actions = list(Action).filter(action => serviceOf(action) === service);
      return { on, actions, resource };
    });
  });

const keyTag = 'aws:ResourceTag/sombus-signing';

/** The lines of one statement. */
const permissionsIn = (functionName: string, statement: Statement): readonly Permission[] => {
  const { Condition = {} } = statement;
  const { 'ForAllValues:StringLike': which = {}, StringEquals: tags = {}, ...others } = Condition;
  const unknown = [...Object.keys(others), ...Object.keys(tags).filter(name => name !== keyTag)];
  if (statement.Effect !== 'Allow' || unknown.length > 0)
    throw new Error(`The page of permissions has no words for ${JSON.stringify(statement)}.`);
  return thingsIn(statement).map(thing => ({
    functionName,
    ...thing,
    keys: list(which['dynamodb:LeadingKeys']),
    attributes: list(which['dynamodb:Attributes']),
  }));
};

/** What every function may do: it is not repeated on each line. */
const always = ['the log of its stack', 'X-Ray'];

/** What each function may do, besides writing its own log and its traces. */
export const permissionsOf = ({ roles }: Deployment): readonly Permission[] =>
  roles.flatMap(({ functionName, statements }) => {
    if (functionName === undefined) return [];
    return statements.flatMap(statement =>
      permissionsIn(functionName.replace(/^sombus-\w+?-/, ''), statement).filter(
        ({ on }) => !always.includes(on),
      ),
    );
  });

/** A right as one line: an action on a thing, of a table on items with some keys. */
export const rightLine = (right: {
  readonly functionName: string;
  readonly action: string;
  readonly resource: string;
  readonly key?: string;
}): string => {
  const { functionName, action, resource, key = '' } = right;
  const name = functionName.replace(/^sombus-(sandbox|preview)-/, '');
  return `${name} ${action} ${resource.split(':').slice(5).join(':') || resource} ${key}`.trim();
};

const seenFile = join(__dirname, 'seen.txt');

/** The rights that functions used on the deployed run, as it last wrote them. */
export const seenRights = (): ReadonlySet<string> =>
  new Set(readFileSync(seenFile, 'utf8').split('\n'));

/** What of a line the deployed run saw in use. */
const seenOf = (permission: Permission, seen: ReadonlySet<string>): string => {
  const { functionName, actions, resource, keys } = permission;
  const rights = actions.flatMap(action =>
    (keys.length === 0 ? [''] : keys).map(key => ({
      words: code([action, ...(key === '' ? [] : [key])]),
      isSeen: seen.has(rightLine({ functionName, action, resource, key })),
    })),
  );
  const missing = rights.filter(({ isSeen }) => !isSeen).map(({ words }) => words);
  if (missing.length === 0) return 'yes';
  if (missing.length === rights.length) return '–';
  return `all but ${missing.join('; ')}`;
};

const code = (names: readonly string[]): string => names.map(name => `\`${name}\``).join(', ');

const row = (permission: Permission, seen: ReadonlySet<string>): string => {
  const { functionName, actions, on, keys, attributes } = permission;
  const only = [
    ...(keys.length > 0 ? [code(keys)] : []),
    ...(attributes.length > 0 ? [`attributes ${code(attributes)}`] : []),
  ].join('; ');
  return `| ${[functionName, code(actions), on, only, seenOf(permission, seen)].join(' | ')} |`;
};

/** The names of the functions that may do nothing but log. */
const silent = ({ roles }: Deployment, lines: readonly Permission[]): readonly string[] =>
  roles
    .flatMap(({ functionName }) => functionName?.replace(/^sombus-\w+?-/, '') ?? [])
    .filter(name => !lines.some(({ functionName }) => functionName === name));

/** `docs/permissions.md`. */
export const permissionsPage = (
  deployment: Deployment,
  seen: ReadonlySet<string> = seenRights(),
): string => {
  const lines = permissionsOf(deployment);
  return `# Who may do what

What the role of each function may do on AWS. \`npm run generate\` writes this page from the
synthesised templates; a test compares it with them, and decides every function's calls as IAM
does.

Every function also writes its own log and its traces. Keys are the beginnings of items'
partition keys: an item of another kind is out of reach. \`dynamodb:Query\` on an index needs no
key.

The last column says what was seen: \`npm run deployed\` deploys the templates to an emulator that
enforces IAM, and records which function used which right. Not seen does not mean not needed:
that run does not go through whole test runs, deliveries that the relay finishes, or identity
providers. \`test/infra/calls.test.ts\` decides the calls that functions make there.

| Function | May | On | Only | Seen in use |
| --- | --- | --- | --- | --- |
${lines.map(one => row(one, seen)).join('\n')}

These functions may do nothing else: ${code(silent(deployment, lines))}.

Beyond the roles' own policies:

- **Signing keys**: the policy of each key denies \`kms:Sign\` to everybody but the role of
  \`token\` (path \`/sombus/<environment>/signer/\`), whatever other policies say. A role's grants
  are for keys of its environment (tag \`sombus-signing\`). Keys that \`sombus keys add\` makes have
  the same policy and tag.
- **Consumers' queues**: the policy of each queue lets only the bus's roles (path
  \`/sombus/<environment>/\`) send, and only these and the consumer's verified roles read ([cloud
  roles](guides/cloud-roles.md)).
- **Alarm topic**: CloudWatch alarms of this environment publish to it, over TLS.
`;
};

/** Whether a line of the page covers a call, read as a person would read it. */
export const covers = (
  { actions, keys }: Pick<Permission, 'actions' | 'keys'>,
  { action, key }: { readonly action: string; readonly key?: string },
): boolean =>
  actions.includes(action) &&
  (keys.length === 0 ||
    keys.some(pattern => {
      if (pattern.endsWith('*')) return key?.startsWith(pattern.slice(0, -1)) === true;
      return key === pattern;
    }));
