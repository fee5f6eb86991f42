import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { infraApp } from '../infra/support/synthesise.ts';

const domain = {
  domain: 'bus.example.org',
  portalDomain: 'portal.example.org',
  hostedZoneId: 'Z0123456789EXAMPLE',
  hostedZoneName: 'example.org',
  alarmAddress: 'operator@example.org',
  logArchiveDays: '400',
  trailDays: '400',
  chat: 'slack:T07EA123LEP/C07EZ1ABC23',
};

const id = '12345678-1234-4234-8234-123456789012';

test('cdk-nag AwsSolutions and CloudFormation’s schemas find nothing that is not accepted with a reason, with a domain and without', () => {
  const chat = `teams:${id}/${id}/19%3Aab%40thread.tacv2`;
  const app = infraApp({ sandbox: domain, preview: { chat } }, undefined, true);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth()).not.toThrow();
});
