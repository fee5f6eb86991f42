import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import { CfnSubscriptionFilter, LogGroup, type LogGroupProps } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { resourceNames } from '../contract/environments.ts';
import { acceptFinding } from './accept-finding.ts';
import { serviceRole } from './service-role.ts';
import type { Settings } from './settings.ts';

export type LogSettings = Pick<Settings, 'environment' | 'logRetention' | 'logArchiveDays'>;

/**
 * A log that outlives its stack, except for a first deployment that was rolled back. A stack that
 * is made again finds it with `--import-existing-resources` (docs/runbook.md). If the settings ask
 * for an archive, its lines also go there.
 */
export class KeptLog extends LogGroup {
  constructor(
    scope: Construct,
    id: string,
    settings: LogSettings & Required<Pick<LogGroupProps, 'logGroupName'>>,
  ) {
    const { environment, logRetention, logArchiveDays, logGroupName } = settings;
    super(scope, id, {
      logGroupName,
      retention: logRetention,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    if (logArchiveDays === undefined) return;
    // By names: an export would keep the archive from being switched off.
    const { logArchive } = resourceNames(environment);
    new CfnSubscriptionFilter(this, 'Archived', {
      logGroupName: this.logGroupName,
      filterPattern: '',
      destinationArn: this.stack.formatArn({
        service: 'firehose',
        resource: 'deliverystream',
        resourceName: logArchive,
      }),
      roleArn: this.stack.formatArn({
        service: 'iam',
        region: '',
        resource: 'role',
        resourceName: `${logArchive}-writer`,
      }),
    });
  }
}

/**
 * All logs of an environment in a bucket of S3, as gzip files (CloudWatch Logs: "Log group-level
 * subscription filters": what a filter sends is compressed already). The bucket is kept when its
 * stack is deleted.
 */
export class LogArchive extends Construct {
  constructor(
    scope: Construct,
    { environment, days }: Pick<Settings, 'environment'> & { days: number },
  ) {
    super(scope, 'LogArchive');
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [
        { expiration: Duration.days(days), abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acceptFinding(bucket, 'S1');
    const own = { policyName: 'archive', sourceAccount: Stack.of(this).account };
    // As AWS asks for (Amazon Data Firehose: "Grant Firehose access to an Amazon S3 destination").
    const storing = serviceRole(this, 'firehose', {
      service: 'firehose',
      ...own,
      allowed: [
        {
          actions: [
            ...['s3:AbortMultipartUpload', 's3:GetBucketLocation', 's3:GetObject', 's3:ListBucket'],
            ...['s3:ListBucketMultipartUploads', 's3:PutObject'],
          ],
          resources: [bucket.bucketArn, bucket.arnForObjects('*')],
        },
      ],
    });
    acceptFinding(storing, 'IAM5[Resource::<LogArchiveBucket6951A440.Arn>/*]');
    const { logArchive } = resourceNames(environment);
    const stream = new CfnDeliveryStream(this, 'Stream', {
      deliveryStreamName: logArchive,
      deliveryStreamType: 'DirectPut',
      deliveryStreamEncryptionConfigurationInput: { keyType: 'AWS_OWNED_CMK' },
      extendedS3DestinationConfiguration: {
        bucketArn: bucket.bucketArn,
        roleArn: storing.roleArn,
        bufferingHints: { intervalInSeconds: 900, sizeInMBs: 64 },
        fileExtension: '.gz',
      },
    });
    serviceRole(this, 'logs', {
      service: 'logs',
      ...own,
      roleName: `${logArchive}-writer`,
      allowed: [
        { actions: ['firehose:PutRecord', 'firehose:PutRecordBatch'], resources: [stream.attrArn] },
      ],
    });
    new CfnOutput(Stack.of(this), 'LogArchiveBucket', { value: bucket.bucketName });
  }
}
