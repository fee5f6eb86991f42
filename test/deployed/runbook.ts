import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tools.ts';

const text = readFileSync(join(root, 'docs/runbook.md'), 'utf8');

/** A line of a code block, without the indentation that it has in a list. */
const unindented = (block: string): string => {
  const [indentation = ''] = /^ */.exec(block) ?? [];
  return block.replaceAll(new RegExp(`^${indentation}`, 'gm'), '');
};

const sectionOf = (heading: string): string => {
  const found = text.split(/^(?=#{2,3} )/m).find(section => section.startsWith(`${heading}\n`));
  if (!found) throw new Error(`The runbook has no section "${heading}".`);
  return found;
};

/**
 * The commands of a section of the runbook, as an operator copies them: the block that has these
 * words.
 */
export const commandsIn = (heading: string, words: string): string => {
  const blocks = [...sectionOf(heading).matchAll(/^ *```console\n([\s\S]*?)^ *```$/gm)];
  const found = blocks
    .map(([, block = '']) => unindented(block))
    .filter(block => block.includes(words));
  const [block, ...more] = found;
  if (block === undefined || more.length > 0)
    throw new Error(`${found.length} blocks of "${heading}" in the runbook have "${words}".`);
  return block;
};

/** A command that stands in a sentence of a section. */
export const commandIn = (heading: string, words: string): string => {
  const found = [...sectionOf(heading).matchAll(/`([^`\n]+)`/g)]
    .map(([, command = '']) => command)
    .filter(command => command.includes(words));
  const [command] = found;
  if (command === undefined)
    throw new Error(`"${heading}" in the runbook has no command with "${words}".`);
  return command;
};
