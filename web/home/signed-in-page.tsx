import { Page } from '../page/elements.tsx';

/** Where a sign-in in a second tab ends. */
export const SignedInPage = () => (
  <Page title="You are signed in">
    <p>Close this tab and go on where you were.</p>
  </Page>
);
