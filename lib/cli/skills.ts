import { Command } from 'commander';
import { changeSkill, labelsOf, registerSkills, type SkillRegistration } from '../skills/registrations.ts';
import { accepted, type CommandContext, inputBytes, newNotes, Refused } from './command.ts';
import { type CommonOptions, common } from './options.ts';
import { printRecord, printTable } from './print.ts';

interface SkillOptions extends CommonOptions {
  readonly connection: string;
}

const summary = ({ id, skill_id, skill_version, instance_label, paused, createdAt }: SkillRegistration) => ({
  registration_id: id,
  skill_id,
  skill_version,
  instance_label,
  paused,
  created_at: createdAt,
});

const whole = (registration: SkillRegistration) => ({
  ...summary(registration),
  connection_id: registration.connection,
  values: registration.values,
  ...(registration.authority_scale ? { authority_scale: registration.authority_scale } : {}),
});

const ofConnection = (command: Command): Command =>
  common(command).requiredOption('--connection <id>', "the executor's consumer connection");

const registerCommand = ({ terminal, registry }: CommandContext): Command =>
  ofConnection(new Command('register'))
    .description('register all instances of a skills file, or none if the file has errors')
    .requiredOption('--file <path>', 'a skills file (YAML or JSON), or - for standard input')
    .action(async ({ connection, file, data, json }: SkillOptions & { file: string }) => {
      const ports = registry(data);
      const result = accepted(await registerSkills(ports, connection, inputBytes(file)));
      if (result.kind === 'invalid') {
        for (const problem of result.problems) terminal.error(problem);
        throw new Refused(`${file} has errors (${result.problems.length}); nothing was registered.`);
      }
      const facts = { instances: labelsOf(result.registrations) };
      await newNotes(terminal, ports).onId(connection, 'skill.register', facts);
      printTable(terminal, result.registrations.map(json ? whole : summary), json);
    });

const listCommand = ({ terminal, registry }: CommandContext): Command =>
  ofConnection(new Command('list').description('list registered instances')).action(
    async ({ connection, data, json }: SkillOptions) => {
      const registrations = await registry(data).skills.of(connection);
      printTable(terminal, registrations.map(json ? whole : summary), json);
    },
  );

const descriptions = {
  pause: 'mark an instance as paused; the executor still sees it',
  resume: 'end a pause',
  remove: 'remove an instance, so that its label can be used again',
} as const;

const changeCommand = ({ terminal, registry }: CommandContext, change: keyof typeof descriptions): Command =>
  ofConnection(new Command(change).argument('<registration>'))
    .description(descriptions[change])
    .action(async (id: string, { connection, data, json }: SkillOptions) => {
      const ports = registry(data);
      const registration = accepted(await changeSkill(ports, { connection, id }, change));
      if (!registration) throw new Refused(`The connection ${connection} has no registration ${id}.`);
      const what = `skill.${change === 'remove' ? 'end' : change}`;
      await newNotes(terminal, ports).onId(connection, what, { instances: labelsOf([registration]) });
      printRecord(terminal, summary(registration), json);
    });

export const skillCommand = (context: CommandContext): Command => {
  const command = new Command('skill').description('skill instances that an executor runs');
  command.addCommand(registerCommand(context)).addCommand(listCommand(context));
  for (const change of ['pause', 'resume', 'remove'] as const)
    command.addCommand(changeCommand(context, change));
  return command;
};
