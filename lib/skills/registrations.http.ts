import { answer } from '../http/answer.ts';
import type { Edge } from '../http/respond.ts';
import { asConsumer } from '../registry/admission.http.ts';
import type { Registry } from '../registry/registry.ts';
import type { SkillRegistration, SkillRegistrations } from './registrations.ts';

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
export const registrationsEdge: Edge<{
  readonly registry: Registry;
  readonly skills: Pick<SkillRegistrations, 'of'>;
}> = ({ registry, skills }) =>
  asConsumer(registry, async function registrationsRoute({ connection, log }) {
    return answer(200, { registrations: (await skills.of(connection.id)).map(record) }, { log });
  });
