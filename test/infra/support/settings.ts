/** The settings of domains of one's own. */
export const ownDomains = {
  account: '111122223333',
  region: 'eu-west-1',
  domain: 'bus.example.org',
  portalDomain: 'portal.example.org',
  hostedZoneId: 'Z0123456789EXAMPLE',
  hostedZoneName: 'example.org',
};

/** Those, and what watches an environment. */
export const watchedSettings = {
  ...ownDomains,
  alarmAddress: 'operator@example.org',
  monthlyDollars: '60',
  logArchiveDays: '400',
  trailDays: '400',
  chat: 'slack:T07EA123LEP/C07EZ1ABC23',
};
