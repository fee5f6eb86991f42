import { browserLacks } from '../support/browser.ts';
import { describeUnless } from '../support/where.ts';
import { describeAttacks } from './attacks.ts';
import { describeConnection } from './connection.ts';
import { describeOrganisation } from './organisation.ts';
import { webStage } from './portal-in-browser.ts';
import { describeQueue } from './queue.ts';
import { describeRuns } from './runs.ts';

// One service and one browser for all: to start them takes longer than most of these tests.
describeUnless(browserLacks(), 'the portal in a real browser', () => {
  const stage = webStage();
  describe('the pages of test runs', () => describeRuns(stage));
  describe('the page of a connection', () => describeConnection(stage));
  describe('the page of a queue', () => describeQueue(stage));
  describe('what is decided about an organisation', () => describeOrganisation(stage));
  describe('attacks', () => describeAttacks(stage));
});
