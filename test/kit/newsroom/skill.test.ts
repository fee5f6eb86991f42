import { derivedId } from '../../../lib/kit/newsroom/day.ts';
import { evaluate, instancesOf } from '../../../lib/kit/newsroom/skill.ts';
import type { StorySnapshot } from '../../../lib/kit/newsroom/story.ts';

const story = (more: object) => ({ story_id: 's1', ...more }) as unknown as StorySnapshot;
const high = { story_type: 'ACTIVE', priority: { level: 'HIGH' } };
const own = instancesOf([]);

test('a warning has the id of what it is about, and is whole', () => {
  expect(evaluate(story(high), own)).toEqual([
    {
      warning_id: derivedId('warning', 'fennel-high-priority', 's1'),
      skill_id: 'smart-stories/raise-flag-on-match',
      skill_version: '0.2.2',
      story_id: 's1',
      scope: 'story:s1',
      severity: 'inform',
      rule_id: 'fennel-high-priority',
      non_overridable: false,
      affected_fields: ['priority.level'],
      detail:
        'HIGH-PRIORITY: priority.level is HIGH, which is HIGH; desk-editor or above clears it.',
      blocks: [],
      skill_warning_ref: 'fennel-high-priority/story:s1/1',
    },
  ]);
});

test.each([
  ['does not hold', { priority: { level: 'LOW' } }],
  ['is of a story that is over', { story_type: 'KILLED' }],
  ['is of a skill that the story does not list', { skills_config: { active_skills: [] } }],
])('nothing is said of what %s', (_what, more) => {
  expect(evaluate(story({ ...high, ...more }), own)).toEqual([]);
});
