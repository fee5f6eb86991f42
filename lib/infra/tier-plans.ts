import { Period, UsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import { type EnvironmentName, resourceNames } from '../contract/environments.ts';
import { type Quota, type Tier, tiers } from '../contract/limits.ts';
import type { RouteApi } from './route-api.ts';

const tierNames = Object.keys(tiers).filter((name): name is Tier => name in tiers);

/** A usage plan per quota tier. The operator's commands assign connections' keys to them, and add plans for custom quotas. */
export class TierPlans extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { api, environment }: { api: RouteApi; environment: EnvironmentName },
  ) {
    super(scope, id);
    for (const tier of tierNames) {
      const { perSecond, burst, perDay }: Quota = tiers[tier];
      new UsagePlan(this, tier, {
        name: resourceNames(environment).usagePlan(tier),
        description: `Each connection of tier ${tier}`,
        throttle: { rateLimit: perSecond, burstLimit: burst },
        quota: { limit: perDay, period: Period.DAY },
        apiStages: [{ stage: api.deploymentStage }],
      });
    }
  }
}
