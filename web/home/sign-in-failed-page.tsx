import { Page } from '../page/elements.tsx';
import { signInAddress } from '../page/session.ts';

/** Where a sign-in ends that did not work. */
export const SignInFailedPage = () => (
  <Page title="You could not be signed in">
    <p>
      The answer of the identity provider is not for this browser, or is too old. This happens when a sign-in
      takes longer than ten minutes, or when its link is opened in another browser.
    </p>
    <p>
      <a class="button main" href={signInAddress('/')}>
        Start again
      </a>
    </p>
  </Page>
);
