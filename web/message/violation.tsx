import Box from '@cloudscape-design/components/box';
import { ruleAdvice } from '../../lib/contract/rule-advice.ts';
import { rulePage } from '../../lib/contract/rules.ts';
import { urlBelow } from '../page/location.ts';

/** A rule's id, which leads to its page in this bus's documentation. */
export const RuleLink = ({ rule }: { readonly rule: string }) => {
  const page = rulePage(rule);
  return page === undefined ? (
    <code>{rule}</code>
  ) : (
    <a href={urlBelow(`/docs/rules/${page}`)}>
      <code>{rule}</code>
    </a>
  );
};

const adviceOn = (rule: string): string => {
  const advice: unknown = Object.hasOwn(ruleAdvice, rule) ? Reflect.get(ruleAdvice, rule) : '';
  return typeof advice === 'string' ? advice : '';
};

/** What a message breaks: the rule, where, and what to do. */
export const Violation = ({
  rule,
  message,
  path,
  children,
}: {
  readonly rule: string;
  readonly message: string;
  readonly path?: string | undefined;
  readonly children?: React.ReactNode;
}) => (
  <li>
    <Box>
      {children}
      {path !== undefined && path !== '' && (
        <>
          <code>{path}</code>:{' '}
        </>
      )}
      {message}
    </Box>
    <Box color="text-body-secondary" fontSize="body-s">
      <RuleLink rule={rule} /> {adviceOn(rule)}
    </Box>
  </li>
);
