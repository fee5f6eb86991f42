import { textAsWritten } from '../../platform/json/as-written.ts';
import { writtenValues } from '../../skills/instance-values.ts';
import {
  changeSkill,
  labelsOf,
  registerSkills,
  registrationRecord,
  type SkillRegistration,
} from '../../skills/registrations.ts';
import { type CommandGroup, type CommandSpec, command } from '../frame/command.ts';
import { accepted, CommandRefused } from '../frame/failures.ts';
import { required } from '../frame/options.ts';
import { inputBytes, type Terminal } from '../frame/terminal.ts';

const whole = (registration: SkillRegistration) => ({
  ...registrationRecord(registration),
  connection_id: registration.connection,
  values: writtenValues(registration),
  ...(registration.authority_scale && { authority_scale: registration.authority_scale }),
});

/** Registrations as a table; with `json`, whole, with every digit of their values. */
const listed = (
  registrations: readonly SkillRegistration[],
  { json, terminal }: { json: boolean; terminal: Terminal },
) => {
  if (!json) return registrations.map(registrationRecord);
  terminal.out(textAsWritten(registrations.map(whole)));
  return undefined;
};

const connectionOption = required('--connection <id>', "the executor's consumer connection");

const change = (how: 'pause' | 'resume' | 'remove', description: string): CommandSpec =>
  command({
    usage: `${how} <registration>`,
    description,
    options: { connection: connectionOption },
    async run({ ports, notes, options: { connection } }, id) {
      const registration = accepted(await changeSkill(ports, { connection, id }, how));
      if (!registration)
        throw new CommandRefused(`The connection ${connection} has no registration ${id}.`);
      const what = `skill.${how === 'remove' ? 'end' : how}` as const;
      await notes.onId(connection, what, { instances: labelsOf([registration]) });
      return registrationRecord(registration);
    },
  });

export const skillCommand: CommandGroup = {
  name: 'skill',
  description: 'skill instances that an executor runs',
  commands: [
    command({
      usage: 'register',
      description: 'register all instances of a skills file, or none if the file has errors',
      options: {
        connection: connectionOption,
        file: required('--file <path>', 'a skills file (YAML or JSON), or - for standard input'),
      },
      async run({ ports, notes, options, terminal }) {
        const { connection, file, json } = options;
        const result = accepted(await registerSkills(ports, connection, inputBytes(file)));
        if (result.kind === 'invalid') {
          for (const problem of result.problems) terminal.error(problem);
          throw new CommandRefused(
            `${file} has errors (${result.problems.length}); nothing was registered.`,
          );
        }
        await notes.onId(connection, 'skill.register', {
          instances: labelsOf(result.registrations),
        });
        return listed(result.registrations, { json, terminal });
      },
    }),
    command({
      usage: 'list',
      description: 'list registered instances',
      options: { connection: connectionOption },
      run: async ({ ports, options: { connection, json }, terminal }) =>
        listed(await ports.skills.of(connection), { json, terminal }),
    }),
    change('pause', 'mark an instance as paused; the executor still sees it'),
    change('resume', 'end a pause'),
    change('remove', 'remove an instance, so that its label can be used again'),
  ],
};
