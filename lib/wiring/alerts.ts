import { fetchGuard } from '../access/trust/guarded.fetch.ts';
import { envVars } from '../contract/environments.ts';
import { alertLook } from '../portal/alert-look.ts';
import { awsAlerts } from '../portal/alerts/alerts.dynamodb.ts';
import { sesMails } from '../portal/alerts/mail.ses.ts';
import { watchAlerts } from '../portal/alerts/watch-alerts.ts';
import { guardedWebhooks } from '../portal/alerts/webhook.fetch.ts';
import { checkRuns } from './checks.ts';
import { depths } from './consuming.ts';
import { clock, type Env, ids, registryTable } from './env.ts';
import { archive, counts, queueAges } from './history.ts';
import type { JobFunction } from './job.ts';
import { connections, directory, invitations, members, principals } from './registry.ts';

export const alerts = (env: Env) => awsAlerts(registryTable(env));

/** Only the local service may call hosts of this machine. */
export const webhooks = (env: Env) =>
  guardedWebhooks(fetchGuard(env[envVars.localService] === 'true'));

export const mails = (env: Env) => sesMails(env, env[envVars.mailFrom]);

export const alertsFunction: JobFunction<'alerts'> = {
  job: 'alerts',
  use: ports => watchAlerts({ ...ports, look: alertLook(ports) }),
  ports: {
    clock,
    ids,
    alerts,
    webhooks,
    mails,
    members,
    directory,
    connections,
    principals,
    invitations,
    counts,
    depths,
    queueAges,
    archive,
    checkRuns,
  },
};
