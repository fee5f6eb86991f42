import { ActivityPage } from './activity/activity-page.tsx';
import { MessagePage } from './message/message-page.tsx';
import { StoryPage } from './story/story-page.tsx';

/** The pages about messages and stories, which come together: few files are quicker than many. */
export const work = {
  activity: ActivityPage,
  message: MessagePage,
  story: StoryPage,
};
