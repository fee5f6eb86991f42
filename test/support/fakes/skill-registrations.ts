import type { SkillRegistration, SkillRegistrations } from '../../../lib/skills/registrations.ts';
import { partOf } from './part-of.ts';

const byAge = (a: SkillRegistration, b: SkillRegistration): number =>
  a.createdAt.localeCompare(b.createdAt) || a.instance_label.localeCompare(b.instance_label);

/** Skill registrations in memory. */
export const skillRegistrationsInMemory = () => {
  const kept = new Map<string, SkillRegistration>();
  const keyOf = ({ connection, instance_label }: SkillRegistration) => `${connection} ${instance_label}`;
  const isKept = (one: SkillRegistration): boolean => kept.get(keyOf(one))?.id === one.id;
  const port: SkillRegistrations = {
    of: async connection => [...kept.values()].filter(one => one.connection === connection).sort(byAge),
    page: async (connection, part) =>
      partOf(
        (await port.of(connection)).map(one => [one.id, one]),
        part,
      ),
    find: async (connection, id) => (await port.of(connection)).find(one => one.id === id),
    async add(registrations) {
      const taken = registrations.find(one => kept.has(keyOf(one)));
      if (taken) return { taken: taken.instance_label };
      for (const one of registrations) kept.set(keyOf(one), one);
      return undefined;
    },
    async replace(before, after) {
      if (!isKept(before) || kept.get(keyOf(before))?.paused !== before.paused) return 'changed';
      if (before.instance_label !== after.instance_label && kept.has(keyOf(after))) return 'taken';
      kept.delete(keyOf(before));
      kept.set(keyOf(after), after);
      return 'replaced';
    },
    remove: async one => isKept(one) && kept.delete(keyOf(one)),
    async setPaused(one, paused) {
      const known = isKept(one);
      if (known) kept.set(keyOf(one), { ...one, paused });
      return known;
    },
  };
  return { port };
};
