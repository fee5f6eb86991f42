import Box from '@cloudscape-design/components/box';
import { ruleAdvice } from '../../lib/contract/rule-advice.ts';
import { hintOn } from '../../lib/messages/schema-violations.ts';
import { RuleLink } from '../page/names.tsx';

const adviceOn = (rule: string): string => {
  const advice: unknown = Object.hasOwn(ruleAdvice, rule) ? Reflect.get(ruleAdvice, rule) : '';
  return typeof advice === 'string' ? advice : '';
};

interface ViolationProps {
  readonly rule: string;
  readonly message: string;
  readonly path?: string | undefined;
  /** As much of the message as is known: what was probably meant is found in it. */
  readonly sent: unknown;
  readonly children?: React.ReactNode;
}

/** What a message breaks: the rule, where, and what to do. */
export const Violation = ({ rule, message, path, sent, children }: ViolationProps) => (
  <li>
    <Box>
      {children}
      {path !== undefined && path !== '' && (
        <>
          <code>{path}</code>:{' '}
        </>
      )}
      {message}
      {hintOn({ rule, message, path }, sent)}
    </Box>
    <Box color="text-body-secondary" fontSize="body-s">
      <RuleLink rule={rule} /> {adviceOn(rule)}
    </Box>
  </li>
);
