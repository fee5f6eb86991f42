import type { System } from '../client/index.ts';
import table from './roles.json';

export type RoleName = keyof typeof table;

interface Role {
  readonly system_type: System['system_type'];
  readonly grants: readonly string[];
  readonly receives: readonly string[];
}

// the compiler widens the texts of JSON
export const roleTable = table as Readonly<Record<RoleName, Role>>;

export const roleNames = Object.keys(roleTable) as readonly RoleName[]; // the keys of `roles`

/** The system that a role sends as. Its app has the same name. */
export const systemOf = (role: RoleName): System => ({
  system_id: `fennel-${role}`,
  system_type: roleTable[role].system_type,
});
