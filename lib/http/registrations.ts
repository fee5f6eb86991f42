import type { SkillRegistration } from '../domain/skills/registration.ts';
import type { Registry } from '../ports/registry.ts';
import { asConsumer } from './as-consumer.ts';
import type { Edge } from './edge.ts';
import { answer } from './http-answer.ts';

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
