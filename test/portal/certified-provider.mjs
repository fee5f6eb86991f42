// An OpenID Connect provider of somebody else's, certified by the OpenID Foundation: it signs
// everybody in as the person that login_hint names. Prints its address.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const server = createServer();
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'portal',
      client_secret: 'secret-of-the-portal',
      redirect_uris: ['http://127.0.0.1/api/sign/back'],
      post_logout_redirect_uris: ['http://127.0.0.1/'],
    },
  ],
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['name', 'cognito:username'],
  },
  conformIdTokenClaims: false,
  features: { devInteractions: { enabled: false } },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      // Cognito knows people by names that it makes up.
      'cognito:username': `user-of-${id}`,
      ...(id.startsWith('nameless') ? {} : { name: `Person ${id}` }),
      email: `${id}@example.org`,
      email_verified: !id.endsWith('unverified'),
    }),
  }),
  interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
  pkce: { required: () => true },
});
// Loopback addresses may have any port (RFC 8252 section 7.3).
provider.Client.prototype.redirectUriAllowed = uri =>
  /^http:\/\/127\.0\.0\.1:\d+\/api\/sign\/back$/.test(uri);
const answer = provider.callback();
server.on('request', async (request, response) => {
  if (!request.url.startsWith('/interaction/')) return answer(request, response);
  const { params, session, grantId } = await provider.interactionDetails(request, response);
  const accountId = session?.accountId ?? params.login_hint;
  const grant =
    (grantId && (await provider.Grant.find(grantId))) ||
    new provider.Grant({ accountId, clientId: 'portal' });
  grant.addOIDCScope('openid email profile');
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
});
process.stdout.write(`${issuer}\n`);
