import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnTrail } from 'aws-cdk-lib/aws-cloudtrail';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { resourceNames } from '../contract/environments.ts';
import { acceptFinding } from './accept-finding.ts';
import type { Settings } from './settings.ts';

type TrailFacts = Pick<Settings, 'environment'> & {
  readonly days: number;
  readonly tables: readonly string[];
};

/**
 * Who reads or changes items of the tables by other means than the bus: people and programs with
 * credentials of the account (CloudTrail: "Logging data events"). What functions do is left out: it
 * would cost a dollar for a million calls, some ten for a million publishes, and say nothing new.
 */
export class TableTrail extends Construct {
  readonly #arn: string;

  constructor(scope: Construct, { environment, days, tables }: TrailFacts) {
    super(scope, 'Trail');
    const stack = Stack.of(this);
    const { stack: name } = resourceNames(environment);
    this.#arn = stack.formatArn({ service: 'cloudtrail', resource: 'trail', resourceName: name });
    const bucket = this.bucketFor(days);
    const startsWith = tables.map(resourceName =>
      stack.formatArn({ service: 'dynamodb', resource: 'table', resourceName }),
    );
    // The names of the functions' roles begin with those of their stacks; a session has no path.
    const functions = stack.formatArn({
      service: 'sts',
      region: '',
      resource: 'assumed-role',
      resourceName: `${name}-`,
    });
    const trail = new CfnTrail(this, 'Trail', {
      trailName: name,
      s3BucketName: bucket.bucketName,
      isLogging: true,
      enableLogFileValidation: true,
      advancedEventSelectors: [
        {
          name: 'items of the tables, by others than the functions',
          fieldSelectors: [
            { field: 'eventCategory', equalTo: ['Data'] },
            { field: 'resources.type', equalTo: ['AWS::DynamoDB::Table'] },
            { field: 'resources.ARN', startsWith },
            { field: 'userIdentity.arn', notStartsWith: [functions] },
          ],
        },
      ],
    });
    if (bucket.policy) trail.node.addDependency(bucket.policy);
    new CfnOutput(stack, 'TrailBucket', { value: bucket.bucketName });
  }

  /** A bucket that this trail alone writes to (CloudTrail: "Amazon S3 bucket policy"). */
  private bucketFor(days: number): Bucket {
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ expiration: Duration.days(days) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acceptFinding(bucket, 'S1');
    const { account } = Stack.of(this);
    const allow = (action: string, resource: string, conditions: Record<string, string> = {}) =>
      bucket.addToResourcePolicy(
        new PolicyStatement({
          principals: [new ServicePrincipal('cloudtrail.amazonaws.com')],
          actions: [action],
          resources: [resource],
          conditions: { StringEquals: { 'aws:SourceArn': this.#arn, ...conditions } },
        }),
      );
    allow('s3:GetBucketAcl', bucket.bucketArn);
    allow('s3:PutObject', bucket.arnForObjects(`AWSLogs/${account}/*`), {
      's3:x-amz-acl': 'bucket-owner-full-control',
    });
    return bucket;
  }
}
