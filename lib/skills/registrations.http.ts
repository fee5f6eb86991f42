import { answer } from '../http/answer.ts';
import type { Edge } from '../http/respond.ts';
import { asConsumer } from '../registry/admission.http.ts';
import type { Registry } from '../registry/registry.ts';
import type { SkillRegistration } from './registrations.ts';

/** The documented record of one registration. */
const record = ({
  id,
  skill_id,
  skill_version,
  instance_label,
  values,
  authority_scale,
  paused,
}: SkillRegistration) => ({
  registration_id: id,
  skill_id,
  skill_version,
  instance_label,
  values,
  ...(authority_scale ? { authority_scale } : {}),
  paused,
});

/** `GET /v1/tenants/{t}/consumers/{c}/skills`. */
export const registrationsEdge: Edge<{ readonly registry: Registry }> = ({ registry }) =>
  asConsumer(registry, async ({ connection, log }) =>
    answer(200, { registrations: (await registry.registrationsOf(connection.id)).map(record) }, { log }),
  );
