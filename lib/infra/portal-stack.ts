import { CfnOutput } from 'aws-cdk-lib';
import { SubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { LambdaDestination } from 'aws-cdk-lib/aws-logs-destinations';
import type { Construct } from 'constructs';
import { alarms } from '../contract/alarms.ts';
import { envVars } from '../contract/environments.ts';
import { pathBefore } from '../contract/paths.ts';
import { busAccessLog, throttledRequests } from './access-log.ts';
import { ApiStack } from './api-stack.ts';
import type { BusStack } from './bus-stack.ts';
import { OperatorAlarm } from './operator-mail.ts';
import { apiMetric, RouteApi } from './route-api.ts';
import type { Settings } from './settings.ts';
import { tellSignIn } from './sign-in.ts';
import type { StatefulStack } from './stateful-stack.ts';

/**
 * The portal, the skill catalogue and the API reference: everything behind the portal's API. It is
 * deployed and rolled back by itself, and nothing of the bus depends on it.
 */
export class PortalStack extends ApiStack {
  /** Where it begins, without a slash at its end. */
  readonly address: string;

  constructor(
    scope: Construct,
    settings: Settings,
    { state, bus }: { state: StatefulStack; bus: BusStack },
  ) {
    super(scope, 'portal', { settings, state });
    const { environment } = settings;
    const restApi = new RouteApi(this, 'PortalApi', {
      api: 'portal',
      settings,
      functions: this.release(),
    });
    const path = settings.domain ? '' : pathBefore('portal');
    const address = this.originOf(restApi) + path;
    this.address = address;
    this.tellAll({
      [envVars.origin]: bus.origin,
      ...(path !== '' && { [envVars.portalPath]: path }),
    });
    tellSignIn(this.functionOf('portal-call'), settings, { pool: state.people, address });
    this.addDomain(restApi);
    bus.firewall.protect(restApi, restApi.deploymentStage.stageArn);
    if (state.people) bus.firewall.protect(this, state.people.userPoolArn);
    // API Gateway refuses before any function runs: its log alone tells whom.
    new SubscriptionFilter(this, 'LimitedRequests', {
      logGroup: busAccessLog(this, environment),
      filterPattern: throttledRequests,
      destination: new LambdaDestination(this.functionOf('limited-requests')),
    });
    const id = 'portal-5xx';
    const metric = apiMetric(environment, 'portal', '5XXError');
    new OperatorAlarm(this, id, { ...alarms[id], id, environment, metric, topic: bus.alarmTopic });
    new CfnOutput(this, 'PortalUrl', { value: address });
  }
}
