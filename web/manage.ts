import { AlertsPage } from './alerts/alerts-page.tsx';
import { RunPage } from './checks/run-page.tsx';
import { AllRunsPage, RunsPage } from './checks/runs-page.tsx';
import { OperatorPage } from './operator/operator-page.tsx';
import { JoinPage } from './organisation/join-page.tsx';
import { OrganisationPage } from './organisation/organisation-page.tsx';
import { ValidatePage } from './validate/validate-page.tsx';

/** The pages about people, checks and dry runs, which come together: few files are quicker than many. */
export const manage = {
  run: RunPage,
  allRuns: AllRunsPage,
  runs: RunsPage,
  operator: OperatorPage,
  join: JoinPage,
  organisation: OrganisationPage,
  validate: ValidatePage,
  alerts: AlertsPage,
};
