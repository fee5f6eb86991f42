import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface User {
  readonly sub: string;
  Enabled: boolean;
  UserStatus: string;
  verified: string;
  changedAt: number;
}

type Answer = readonly [status: number, body: object];

const problem = (type: string, message: string): Answer => [400, { __type: type, message }];

/**
 * A user pool that answers as Cognito documents it (API reference: AdminCreateUser, AdminGetUser,
 * AdminDeleteUser, AdminDisableUser, AdminEnableUser, ListUserPools), and notes what it mails.
 *
 * @param now epoch milliseconds
 */
export class FakeCognito {
  readonly users = new Map<string, User>();
  readonly mailed: string[] = [];
  readonly #pool: { readonly Id: string; readonly Name: string };
  readonly #now: () => number;
  #refusing: string | undefined;
  #subjects = 0;

  constructor(pool: { readonly Id: string; readonly Name: string }, now: () => number) {
    this.#pool = pool;
    this.#now = now;
  }

  /** From now on this operation fails; undefined: none does. */
  refuse(operation: string | undefined): void {
    this.#refusing = operation;
  }

  #shown(email: string, user: User, attributes: 'Attributes' | 'UserAttributes'): object {
    return {
      Username: user.sub,
      [attributes]: [
        { Name: 'email', Value: email },
        { Name: 'email_verified', Value: user.verified },
        { Name: 'sub', Value: user.sub },
      ],
      Enabled: user.Enabled,
      UserStatus: user.UserStatus,
      UserLastModifiedDate: user.changedAt / 1000,
    };
  }

  #create(email: string, action: string | undefined): Answer {
    const known = this.users.get(email);
    if (action === 'RESEND') {
      if (known?.UserStatus !== 'FORCE_CHANGE_PASSWORD')
        return problem('UnsupportedUserStateException', 'Resend not possible.');
      known.changedAt = this.#now();
      this.mailed.push(email);
      return [200, { User: this.#shown(email, known, 'Attributes') }];
    }
    if (known) return problem('UsernameExistsException', 'User account already exists');
    this.#subjects += 1;
    const user = {
      sub: `sub-${this.#subjects}`,
      Enabled: true,
      UserStatus: 'FORCE_CHANGE_PASSWORD',
      verified: 'true',
      changedAt: this.#now(),
    };
    this.users.set(email, user);
    this.mailed.push(email);
    return [200, { User: this.#shown(email, user, 'Attributes') }];
  }

  answer(operation: string, input: Readonly<Record<string, string>>): Answer {
    if (operation === this.#refusing)
      return problem('LimitExceededException', `${operation} is over its limit.`);
    if (operation === 'ListUserPools') return [200, { UserPools: [this.#pool] }];
    const { Username: email = '', UserPoolId, MessageAction } = input;
    if (UserPoolId !== this.#pool.Id) return problem('ResourceNotFoundException', 'No such pool.');
    if (operation === 'AdminCreateUser') return this.#create(email, MessageAction);
    const user = this.users.get(email);
    if (!user) return problem('UserNotFoundException', 'User does not exist.');
    if (operation === 'AdminGetUser') return [200, this.#shown(email, user, 'UserAttributes')];
    if (operation === 'AdminDeleteUser') this.users.delete(email);
    else if (operation === 'AdminDisableUser') user.Enabled = false;
    else if (operation === 'AdminEnableUser') user.Enabled = true;
    else return problem('UnknownOperationException', operation);
    return [200, {}];
  }
}

/** Serves a pool over HTTP, as the endpoint that the shell names. */
export const serveCognito = async (pool: FakeCognito) => {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const [status, answer] = pool.answer(operation, JSON.parse(body));
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};
