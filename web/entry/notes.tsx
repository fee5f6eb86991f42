import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { Page } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { signInUrl } from '../page/session.ts';

/** Where a sign-in in a second tab ends. */
export const SignedInPage = () => (
  <Page title="You are signed in">
    <Box>Close this tab to return to your work.</Box>
  </Page>
);

/** Where a sign-in ends that did not work. */
export const SignInFailedPage = () => (
  <Page title="Sign-in failed">
    <Box>
      The response of the identity provider is not for this browser, or is too old. This happens
      when a sign-in takes longer than ten minutes, or when its link is opened in another browser.
    </Box>
    <div>
      <Button variant="primary" href={signInUrl('/')}>
        Start again
      </Button>
    </div>
  </Page>
);

export const NotFoundPage = () => (
  <Page title="Page not found">
    <Box>
      The link may be out of date. <a href={urlOf('home')}>Go to the overview</a>.
    </Box>
  </Page>
);

/**
 * The files of a release go with it: a tab that was open during a deployment asks for some that are
 * gone.
 */
export const NotLoadedPage = () => (
  <Page title="This page could not be loaded">
    <Box>Either the network is down, or the portal has been updated.</Box>
    <div>
      <Button onClick={() => location.reload()}>Reload the portal</Button>
    </div>
  </Page>
);
