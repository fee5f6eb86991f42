import type { System } from '../client/index.ts';

/** What a system of the newsroom is, and what its two connections may do. */
interface Role {
  readonly systemType: System['system_type'];
  readonly grants: readonly string[];
  readonly receives: readonly string[];
}

/** The eight systems of Fennel Quay News, an invented newsroom. */
export const roles = {
  ncs: { systemType: 'ncs', grants: ['story.context'], receives: ['delivery.media_available'] },
  mam: {
    systemType: 'archive',
    grants: ['delivery.media_available', 'story.context'],
    receives: ['story.context'],
  },
  skill: { systemType: 'skill_worker', grants: ['skill.warning.raised'], receives: ['story.context'] },
  graphics: {
    systemType: 'graphics',
    grants: ['link.committed', 'link.withdrawn'],
    receives: ['story.context'],
  },
  standards: {
    systemType: 'compliance_engine',
    grants: ['link.gate_changed', 'system.audit'],
    receives: ['link.committed'],
  },
  playout: {
    systemType: 'automation',
    grants: ['telling.*'],
    receives: ['link.gate_changed', 'story.context'],
  },
  cms: {
    systemType: 'custom',
    grants: ['story.context', 'link.committed', 'telling.*'],
    receives: ['telling.started', 'story.context'],
  },
  automation: { systemType: 'automation', grants: ['system.audit'], receives: ['story.context'] },
} as const satisfies Readonly<Record<string, Role>>;

export type RoleName = keyof typeof roles;

export const roleNames = Object.keys(roles) as readonly RoleName[]; // the keys of `roles`

export const newsroomId = 'fennel-demo';

/** The system that a role sends as. Its app has the same name. */
export const systemOf = (role: RoleName): System => ({
  system_id: `fennel-${role}`,
  system_type: roles[role].systemType,
});
