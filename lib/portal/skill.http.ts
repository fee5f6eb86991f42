import type { ChangeName } from '../access/people/noting.ts';
import { declined, isDeclined } from '../access/registry/declined.ts';
import { limits } from '../contract/limits.ts';
import { defined } from '../contract/outside.ts';
import type { ResponseOf } from '../contract/portal/portal-responses.ts';
import type { SkillInstanceResponse } from '../contract/portal/work-responses.ts';
import { textOf } from '../platform/json/value.ts';
import {
  changeSkill,
  labelsOf,
  registerSkills,
  registrationRecord,
  replaceSkill,
  skillsFile,
} from '../skills/registrations.ts';
import { notYours, portalRefusal } from './browser.http.ts';
import { type Call, type CallHandlers, type Handler, nextOf, note, partIn } from './calls.http.ts';
import type { PortalPorts } from './ports.ts';
import { isOwnSide } from './standing.ts';

const maxProblems = 100;

type Registered = Awaited<ReturnType<typeof registerSkills | typeof replaceSkill>>;

/**
 * A file of the side that the executor belongs to: its instances are registered, or none and it is
 * said why.
 */
const registering =
  (
    what: ChangeName,
    register: (ports: PortalPorts, call: Call, file: Uint8Array) => Promise<Registered>,
  ): Handler<ResponseOf<'skill.register'>> =>
  async (ports, call) => {
    if (!isOwnSide(call, 'editor')) return notYours;
    const result = await register(ports, call, Buffer.from(textOf(call.body, 'file'), 'utf8'));
    if (!result) return portalRefusal('portal.changed');
    if (isDeclined(result)) return result;
    if (result.kind === 'invalid')
      return { registrations: [], problems: result.problems.slice(0, maxProblems) };
    const { registrations: all } = result;
    const noted = await note(ports, call, { what, facts: { instances: labelsOf(all) } });
    return {
      registrations: all.slice(0, limits.skillInstances).map(registrationRecord),
      problems: [],
      ...noted,
    };
  };

const changing =
  (what: ChangeName, how: Parameters<typeof changeSkill>[2]): Handler<SkillInstanceResponse> =>
  async (ports, call) => {
    if (!isOwnSide(call, 'editor')) return notYours;
    const changed = await changeSkill(
      ports,
      { connection: call.subject.c, id: call.subject.r },
      how,
    );
    if (!changed) return portalRefusal('portal.changed');
    if (isDeclined(changed)) return changed;
    const noted = await note(ports, call, { what, facts: { instances: labelsOf([changed]) } });
    return { ...registrationRecord(changed), ...noted };
  };

export const skillCalls: CallHandlers<'skill'> = {
  'skill.list': async ({ skills }, call) => {
    const page = await skills.page(call.subject.c, partIn(call, limits.portalPage));
    return {
      registrations: page.entries.map(registrationRecord),
      may_change: isOwnSide(call, 'editor'),
      ...nextOf(page),
    };
  },

  'skill.show': async ({ skills }, { subject: { c, r } }) => {
    const found = await skills.find(c, r);
    if (!found) return undefined;
    const { values, exactValues, authority_scale } = found;
    return {
      ...registrationRecord(found),
      values,
      ...defined({ exact_values: exactValues }),
      ...(authority_scale && { authority_scale }),
    };
  },

  'skill.file': async ({ skills }, { subject: { c } }) => {
    const yaml = skillsFile(await skills.of(c));
    return Buffer.byteLength(yaml) <= limits.portalResponseBytes / 2
      ? { yaml }
      : declined('The file is too large for the portal: use "sombus skill list --json".');
  },

  'skill.register': registering('skill.register', (ports, { subject: { c } }, file) =>
    registerSkills(ports, c, file),
  ),
  'skill.replace': registering('skill.replace', (ports, { subject: { c, r } }, file) =>
    replaceSkill(ports, { connection: c, id: r }, file),
  ),
  'skill.pause': changing('skill.pause', 'pause'),
  'skill.resume': changing('skill.resume', 'resume'),
  'skill.end': changing('skill.end', 'remove'),
};
