import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { infraApp } from './support/synthesise.ts';

const domain = {
  domain: 'bus.example.org',
  portalDomain: 'portal.example.org',
  hostedZoneId: 'Z0123456789EXAMPLE',
  hostedZoneName: 'example.org',
  alarmAddress: 'operator@example.org',
};

describe('cdk-nag AwsSolutions and CloudFormation’s schemas', () => {
  it.each([
    ['without a domain', {}],
    ['with a domain', { sandbox: domain, preview: domain }],
  ])('find nothing that is not accepted with a reason, %s', (_case, context) => {
    const app = infraApp(context, undefined, true);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).not.toThrow();
  });
});
