import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Findings of cdk-nag's AwsSolutions rules that are meant so, and why. */
const reasons = {
  APIG2: 'Handlers parse every request themselves and answer with the rules of the catalogue.',
  APIG4:
    'Open by contract: health, tokens, keys, the skill catalogue, and the refusal of every other address.',
  APIG6:
    'Execution logs may hold headers, so tokens; access logs and the functions’ own lines tell the rest.',
  COG4: 'The service issues its own tokens: its request authoriser or SigV4 says who calls.',
  SQS3: 'Holds failed runs to be looked at: nothing reads it, so nothing can fail again.',
  'IAM5[Resource::*]': 'X-Ray takes trace segments for no resource in particular.',
  'IAM5[Resource::arn:<AWS::Partition>:sqs:<AWS::Region>:<AWS::AccountId>:sombus-c*.fifo]':
    'Consumers’ queues come and go with their connections; only their names’ form is known.',
  'IAM5[Resource::arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:key/*]':
    'Rotation makes keys; a condition on their tag admits those of this environment only.',
  'IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:*]':
    'API Gateway checks that its role may write any log group of the account before it takes it.',
} as const;

export type AcceptedFinding = keyof typeof reasons;

/** Says that a construct, with all below it, has a finding on purpose. */
export const acceptFinding = (construct: IConstruct, ...findings: readonly AcceptedFinding[]): void => {
  for (const finding of findings) {
    Validations.of(construct).acknowledge({
      id: `AwsSolutions::AwsSolutions-${finding}`,
      reason: reasons[finding],
    });
  }
};
