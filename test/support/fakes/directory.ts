import type { Directory, Party } from '../../../lib/registry/organisations.ts';
import { partOf } from './part-of.ts';

const byAge = (a: Party, b: Party): number =>
  a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id);

/** Organisations, workspaces and apps in memory. */
export const directoryInMemory = (...first: readonly Party[]) => {
  const parties = new Map(first.map(party => [party.id, party]));
  const port: Directory = {
    async add(party) {
      if (parties.has(party.id)) throw new Error(`There is a party ${party.id} already.`);
      parties.set(party.id, party);
      return undefined;
    },
    async find(kind, id) {
      const party = parties.get(id);
      return party?.kind === kind ? party : undefined;
    },
    list: async (kind, parent) =>
      [...parties.values()]
        .filter(party => party.kind === kind)
        .filter(
          party => party.kind === 'organisation' || parent === undefined || party.organisation === parent,
        )
        .sort(byAge),
    page: async (kind, parent, part) =>
      partOf(
        (await port.list(kind, parent)).map(one => [one.id, one]),
        part,
      ),
    async setQuota(id, allotment) {
      const party = parties.get(id);
      if (party?.kind !== 'organisation') return false;
      const { quota: _, ...rest } = party;
      parties.set(id, { ...rest, ...allotment });
      return true;
    },
    async setStatus(id, { from, to, tier }) {
      const party = parties.get(id);
      if (party?.kind !== 'organisation' || party.status !== from) return false;
      parties.set(id, { ...party, status: to, ...(tier ? { tier } : {}) });
      return true;
    },
    async revoke(kind, id) {
      const party = parties.get(id);
      if (party?.kind !== kind) return false;
      parties.set(id, { ...party, status: 'revoked' });
      return true;
    },
  };
  return { port, all: () => [...parties.values()] };
};
