import Box from '@cloudscape-design/components/box';
import advice from '../../lib/contract/rule-advice.json';
import { hintOn } from '../../lib/som/messages/schema-violations.ts';
import { RuleLink } from '../page/names.tsx';

const ruleAdvice: Readonly<Record<string, string>> = advice.rules;

const adviceOn = (rule: string): string =>
  Object.hasOwn(ruleAdvice, rule) ? (ruleAdvice[rule] ?? '') : '';

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
