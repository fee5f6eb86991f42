import { limits } from '../contract/limits.ts';
import { fitting } from '../contract/outside.ts';
import { textOf } from '../json/value.ts';
import { isRegistered } from '../registry/connection.ts';
import { endGuest } from '../registry/guests.ts';
import { noteChange } from '../registry/noting.ts';
import { isDeclined } from '../registry/operator.ts';
import { declinedReply, portalResponse } from './browser.http.ts';
import type { CallHandler } from './calls.http.ts';
import { partIn } from './lists.http.ts';
import { hostOf } from './standing.ts';

const list: CallHandler<'connection.vendors'> = async (ports, call) => {
  const { w = '' } = call.subject;
  const [page, connections] = await Promise.all([
    ports.members.vendorsPage(w, partIn(call, limits.portalPage)),
    ports.connections.ofWorkspace(w),
  ]);
  const vendors = await Promise.all(
    page.entries.map(async organisation => {
      const [guest, party] = await Promise.all([
        ports.invitations.guestOf(w, organisation),
        ports.directory.find('organisation', organisation),
      ]);
      if (!guest) return [];
      const own = connections.filter(one => one.organisation === organisation && isRegistered(one));
      const name = party?.name ?? organisation;
      return [
        {
          organisation_id: organisation,
          name,
          since: guest.since,
          ...guest.terms,
          connections: own.length,
        },
      ];
    }),
  );
  const { entries, ...more } = fitting(
    { ...page, entries: vendors.flat() },
    ({ organisation_id }) => organisation_id,
  );
  return portalResponse({ vendors: entries, ...more });
};

const end: CallHandler<'connection.endVendor'> = async (ports, { person, subject: { w = '' }, body }) => {
  const vendor = textOf(body, 'organisation_id');
  const ended = await endGuest(ports, w, vendor);
  if (isDeclined(ended)) return declinedReply(ended);
  const host = (await hostOf(ports, w)) ?? '';
  const facts = { workspace: w, vendor, revoked: `${ended.revoked}` };
  const noted = await noteChange(ports, person, { organisation: host, what: 'vendor.end', facts });
  return portalResponse({ ...ended, ...noted });
};

export const vendorCalls = {
  'connection.vendors': list,
  'connection.endVendor': end,
};
