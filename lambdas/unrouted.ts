import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { proxyResult, unrouted } from '../lib/platform/http/respond.ts';

/** Responds to every URL of the bus's API that is not a route. */
export const handler = async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> =>
  proxyResult(unrouted(event), event.requestContext.requestId);
