import { nothingRemembered } from '../../bus/delivery/log.ts';
import { iso } from '../../contract/outside.ts';
import { shorten } from '../../platform/json/value.ts';
import { type CommandGroup, command } from '../frame/command.ts';
import { Refused } from '../frame/failures.ts';
import { option, required } from '../frame/options.ts';

const reset = command({
  usage: 'reset <story_id>',
  description: 'let the bus forget the last snapshot of a story: the next one counts as the first',
  options: [
    required('--workspace <id>', 'the workspace of the story'),
    option('--confirm <story_id>', 'the same story_id again: without it, nothing is changed'),
  ],
  help: `
The next snapshot may then have any sequence_number, time, members and assets.
What was accepted and delivered, and the archive, stay as they are.`,
  async run({ ports, notes, options }, storyId) {
    const { workspace, confirm } = options;
    if (confirm !== storyId)
      throw new Refused(`The next snapshot of the story ${storyId} would count as its first.`, [
        'Nothing would compare it with what was accepted before.',
        'If you want that, repeat the command with --confirm and the same story_id.',
      ]);
    const now = ports.clock.now();
    if (!(await ports.stories.startOver(workspace, storyId, now)))
      throw new Refused(nothingRemembered(storyId));
    await notes.inWorkspace(workspace, 'story.reset', { story: shorten(storyId) });
    return { workspace_id: workspace, story_id: storyId, started_over_at: iso(now) };
  },
});

export const storyCommand: CommandGroup = {
  name: 'story',
  description: 'stories: what the bus remembers of them',
  commands: [reset],
};
