import Box from '@cloudscape-design/components/box';
import { ruleAdvice } from '../../lib/contract/rule-advice.ts';
import { RuleLink } from '../page/names.tsx';

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
