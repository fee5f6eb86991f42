import { browserLacks } from '../support/browser.ts';
import { describeUnless } from '../support/where.ts';
import { describePages } from '../web/pages.ts';
import { webStage } from '../web/portal-in-browser.ts';
import { describeStory } from '../web/story.ts';

describeUnless(browserLacks(), 'long walks through the portal in a real browser', () => {
  const stage = webStage();
  describe('by keyboard alone', () => describeStory(stage));
  describe('the pages', () => describePages(stage));
});
