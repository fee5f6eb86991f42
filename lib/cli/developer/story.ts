import {
  type LastSnapshot,
  lastSnapshotOf,
  nothingRemembered,
  startStoryOver,
} from '../../bus/delivery/start-over.ts';
import { iso } from '../../contract/outside.ts';
import { shorten } from '../../platform/json/value.ts';
import type { OperatorPorts } from '../../wiring/operator.ts';
import { type CommandGroup, command } from '../frame/command.ts';
import { accepted, CommandRefused } from '../frame/failures.ts';
import { option, required, wholeNumber } from '../frame/options.ts';

/** What the bus would forget, for the operator to confirm. */
const lastSnapshot = async (
  { acceptances }: OperatorPorts,
  workspace: string,
  storyId: string,
): Promise<LastSnapshot> => {
  const known = await acceptances.storyOf(workspace, storyId);
  return accepted((known && lastSnapshotOf(known)) ?? nothingRemembered(storyId));
};

const consequences = ({ version, sequenceNumber, updatedAt }: LastSnapshot): readonly string[] => [
  `Its last snapshot has the sequence_number ${sequenceNumber} and the updated_at ` +
    `${updatedAt}: nothing would be compared with it.`,
  `If you want that, repeat the command with --confirm and the same story_id, and --snapshot ${version}.`,
];

const reset = command({
  usage: 'reset <story_id>',
  description: 'let the bus forget the last snapshot of a story: the next one counts as the first',
  options: {
    workspace: required('--workspace <id>', 'the workspace of the story'),
    confirm: option(
      '--confirm <story_id>',
      'the same story_id again: without it, nothing is changed',
    ),
    snapshot: option(
      '--snapshot <number>',
      'the snapshot that the command named without it: a later one is not forgotten',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    ),
  },
  help: `
The next snapshot may then have any sequence_number, time, members and assets.
What was accepted and delivered, and the archive, stay as they are.`,
  async run({ ports, notes, options }, storyId) {
    const { workspace, confirm, snapshot } = options;
    if (confirm !== storyId || snapshot === undefined)
      throw new CommandRefused(
        `The next snapshot of the story ${storyId} would count as its first.`,
        consequences(await lastSnapshot(ports, workspace, storyId)),
      );
    const of = { workspace, storyId, version: snapshot };
    const startedOverAt = accepted(await startStoryOver(ports, of));
    await notes.inWorkspace(workspace, 'story.reset', { story: shorten(storyId) });
    return { workspace_id: workspace, story_id: storyId, started_over_at: iso(startedOverAt) };
  },
});

export const storyCommand: CommandGroup = {
  name: 'story',
  description: 'stories: what the bus remembers of them',
  commands: [reset],
};
