import * as c0 from '@aws-sdk/client-dynamodb';
import * as c1 from '@aws-sdk/client-sqs';
export const handler = async () => [c0.DynamoDBClient, c1.SQSClient].length;
