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

test('cdk-nag AwsSolutions and CloudFormation’s schemas find nothing that is not accepted with a reason, with a domain and without', () => {
  const app = infraApp({ sandbox: domain }, undefined, true);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth()).not.toThrow();
});
