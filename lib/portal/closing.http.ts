import { textOf } from '../json/value.ts';
import { noteChange } from '../registry/noting.ts';
import { revokeParty } from '../registry/revoking.ts';
import { portalRefusal, portalResponse } from './browser.http.ts';
import type { CallHandler } from './calls.http.ts';

const otherName = 'To close the organisation, type its name exactly as it is.';

/**
 * Closes an organisation for good: its workspaces, apps and connections are revoked, and its queues deleted. Its members still see it,
 * and what was changed. Whoever closes it types its name. Repeat an interrupted call to finish it.
 */
export const closeOrganisation: CallHandler<'connection.closeOrganisation'> = async (
  ports,
  { person, subject: { o = '' }, body },
) => {
  const found = await ports.directory.find('organisation', o);
  if (!found) return portalRefusal('portal.not_found');
  if (textOf(body, 'confirm') !== found.name) return portalRefusal('request.invalid', otherName);
  await revokeParty(ports, 'organisation', o);
  const noted = await noteChange(ports, person, { organisation: o, what: 'organisation.close' });
  return portalResponse({ organisation_id: o, ...noted });
};
