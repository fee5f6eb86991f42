import { awsAlerts } from '../alerts/alerts.dynamodb.ts';
import type { Alerts } from '../alerts/alerts.ts';
import { sesMails } from '../alerts/mail.ses.ts';
import type { Mails } from '../alerts/mail.ts';
import { watchAlerts } from '../alerts/watch-alerts.ts';
import { guardedWebhooks } from '../alerts/webhook.fetch.ts';
import type { Webhooks } from '../alerts/webhook.ts';
import { envVars } from '../contract/environments.ts';
import { alertLook } from '../portal/alert-look.ts';
import { awsConnections } from '../registry/connections.dynamodb.ts';
import { awsDirectory } from '../registry/directory.dynamodb.ts';
import { fetchGuard } from '../registry/guarded.fetch.ts';
import { awsPrincipals } from '../registry/identities.dynamodb.ts';
import { awsInvitations } from '../registry/invitations.dynamodb.ts';
import { awsMembers } from '../registry/members.dynamodb.ts';
import { checkRuns } from './checks.ts';
import { depths } from './consuming.ts';
import { clock, type Env, ids, registryTable } from './env.ts';
import type { JobFunction } from './function.ts';
import { counts } from './history.ts';
import { archive } from './jobs.ts';

export const alerts = (env: Env): Alerts => awsAlerts(registryTable(env));

/** Only the local service may call hosts of this machine. */
export const webhooks = (env: Env): Webhooks =>
  guardedWebhooks(fetchGuard(env[envVars.localService] === 'true'));

export const mails = (env: Env): Mails => sesMails(env, env[envVars.mailFrom]);

export const alertsFunction: JobFunction<'alerts'> = {
  job: 'alerts',
  use: ports => watchAlerts({ ...ports, look: alertLook(ports) }),
  ports: {
    clock,
    ids,
    alerts,
    webhooks,
    mails,
    members: env => awsMembers(registryTable(env)),
    directory: env => awsDirectory(registryTable(env)),
    connections: env => awsConnections(registryTable(env)),
    principals: env => awsPrincipals(registryTable(env)),
    invitations: env => awsInvitations(registryTable(env)),
    counts,
    depths,
    archive,
    checkRuns,
  },
};
