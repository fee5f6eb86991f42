import { isAwsError, unlessError } from '../../platform/aws/table.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../../platform/json/value.ts';
import type { Accounts, PoolAccount } from './accounts.ts';

/** Calls an operation of Amazon Cognito user pools. */
type CallCognito = (operation: string, input: object) => Promise<unknown>;

const statusOf = ({ Enabled, UserStatus }: JsonObject): PoolAccount['status'] => {
  if (Enabled === false) return 'disabled';
  return UserStatus === 'FORCE_CHANGE_PASSWORD' ? 'invited' : 'active';
};

/** AdminCreateUser and AdminGetUser have different names for the attributes. */
const attributesOf = ({ Attributes, UserAttributes }: JsonObject): ReadonlyMap<unknown, unknown> =>
  new Map(objectsIn(UserAttributes ?? Attributes).map(({ Name, Value }) => [Name, Value]));

const accountIn = (user: unknown, email: string): PoolAccount => {
  const known = isJsonObject(user) ? user : {};
  const attributes = attributesOf(known);
  const subject = attributes.get('sub');
  if (typeof subject !== 'string') throw new Error(`Cognito names no sub of ${email}.`);
  return {
    subject,
    email,
    isConfirmed: attributes.get('email_verified') === 'true',
    status: statusOf(known),
    // Cognito tells times in seconds, with fractions.
    changedAt: Math.trunc(Number(known['UserLastModifiedDate'] ?? 0) * 1000),
  };
};

export const cognitoAccounts = (call: CallCognito, UserPoolId: string): Accounts => {
  const about = (email: string) => ({ UserPoolId, Username: email });
  const byMail = { DesiredDeliveryMediums: ['EMAIL'] };

  return {
    async find(email) {
      const asked = call('AdminGetUser', about(email));
      const user = await unlessError(asked, 'UserNotFoundException');
      if (user === undefined) return undefined;
      return accountIn(user, email);
    },

    async make(email) {
      // Only its owner reads the mail with the password, so the address needs no other proof.
      const UserAttributes = [
        { Name: 'email', Value: email },
        { Name: 'email_verified', Value: 'true' },
      ];
      try {
        const input = { ...about(email), UserAttributes, ...byMail };
        const made = await call('AdminCreateUser', input);
        return accountIn(isJsonObject(made) ? made['User'] : undefined, email);
      } catch (error) {
        if (isAwsError(error, 'UsernameExistsException')) return undefined;
        throw error;
      }
    },

    async mailAgain(email) {
      await call('AdminCreateUser', { ...about(email), ...byMail, MessageAction: 'RESEND' });
    },

    async setEnabled(email, isEnabled) {
      await (isEnabled
        ? call('AdminEnableUser', about(email))
        : call('AdminDisableUser', about(email)));
    },

    async remove(email) {
      await call('AdminDeleteUser', about(email));
    },
  };
};
