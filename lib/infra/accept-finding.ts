import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { environments } from '../contract/environments.ts';

const gatewayIds =
  'API Gateway gives keys and plans their ids when they are made, and knows no conditions on their names.';

const here = '<AWS::Region>:<AWS::AccountId>';

export const functionVersions =
  `IAM5[Resource::arn:<AWS::Partition>:lambda:${here}:function:sombus-<environment>-*:*]` as const;

export const environmentAlarms =
  `IAM5[Resource::arn:<AWS::Partition>:cloudwatch:${here}:alarm:sombus-<environment>-*]` as const;

const codeDeploy = `arn:<AWS::Partition>:codedeploy:${here}` as const;

export const releaseGroups =
  `IAM5[Resource::${codeDeploy}:deploymentgroup:sombus-<environment>-bus/*]` as const;

/** Findings of cdk-nag's AwsSolutions rules that are intended, and why. */
const reasons = {
  APIG2: 'Handlers parse every request themselves and respond with the rules of the catalogue.',
  APIG4:
    'Open by contract: health, tokens, keys, the skill catalogue, and the responses for all other addresses.',
  APIG6:
    'Execution logs may contain headers, and so tokens; access logs and function logs cover the rest.',
  COG8:
    'Threat protection needs the Plus plan, which has no free users. The firewall limits ' +
    'requests per address, those that send mail most; Cognito locks an account after five wrong ' +
    'passwords.',
  COG4: 'The service issues its own tokens: its request authoriser or SigV4 identifies the caller.',
  S1:
    'Access logs of the log archive would be logs of logs: CloudTrail tells who changes the ' +
    'bucket, and only operators read it.',
  SQS3: 'Holds failed runs for inspection: nothing consumes it, so nothing can fail again.',
  'IAM5[Resource::*]':
    'X-Ray actions do not support resource-level permissions; API Gateway checks that its ' +
    'role may write to any log group; CloudWatch describes alarms of the whole account.',
  'IAM5[Resource::arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>:sombus-c*.fifo]':
    'Consumers’ queues are created and deleted with their connections; only their name pattern is known.',
  'IAM5[Resource::arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:key/*]':
    'Rotation creates keys; a tag condition allows only those of this environment.',
  'IAM5[Resource::<LogArchiveBucket6951A440.Arn>/*]':
    'Firehose names the archive’s objects by their time.',
  'IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/apikeys/*]': gatewayIds,
  'IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/usageplans/*]': gatewayIds,
  'IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/usageplans/*/keys]': gatewayIds,
  'IAM5[Resource::arn:<AWS::Partition>:apigateway:<AWS::Region>::/usageplans/*/keys/*]': gatewayIds,
  [functionVersions]:
    'CodeDeploy reads a setting of any version and alias of the environment’s functions.',
  [environmentAlarms]: 'The portal shows its operator the alarms of the environment.',
  [releaseGroups]: 'CodeDeploy names the groups of the bus’s release.',
} as const;

export const acceptFinding = (
  construct: IConstruct,
  ...findings: readonly (keyof typeof reasons)[]
): void => {
  for (const finding of findings)
    for (const own of new Set(
      Object.keys(environments).map(name => finding.replace('<environment>', name)),
    ))
      Validations.of(construct).acknowledge({
        id: `AwsSolutions::AwsSolutions-${own}`,
        reason: reasons[finding],
      });
};
