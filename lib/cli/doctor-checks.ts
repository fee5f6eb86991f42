import { type BusAnswer, reasonOf, request, requestToken } from './bus-session.ts';
import { address, clock, dns, health, tls, unreachable } from './doctor-network.ts';
import { examineToken, type Patient } from './doctor-permissions.ts';
import { type Finding, fail } from './finding.ts';
import { tokenAdvice } from './token-advice.ts';

type Now = () => number;

/** The answer, and this machine's time when it was most likely made: in the middle of the call. */
const timed = async (url: string, now: Now): Promise<{ readonly answer: BusAnswer; readonly at: number }> => {
  const sent = now();
  const answer = await request(url);
  return { answer, at: (sent + now()) / 2 };
};

const examineBus = async (patient: Patient, now: Now, findings: Finding[]): Promise<void> => {
  const { answer, at } = await timed(`${patient.baseUrl}/health`, now);
  findings.push(tls(patient), health(answer), clock(answer, at));
  // What is no bus gets no secret.
  if (findings.some(({ check, state }) => check === 'health' && state === 'fail')) return;
  const issued = await requestToken(patient);
  const { access_token } = issued.body;
  if (typeof access_token !== 'string')
    findings.push(fail('token', `${reasonOf(issued)}${tokenAdvice(issued, patient)}`));
  else findings.push(...(await examineToken(patient, access_token, now())));
};

/** Every check, in the order in which one needs the other; it stops where going on makes no sense. */
export const diagnose = async (patient: Patient, now: Now): Promise<readonly Finding[]> => {
  const findings = [address(patient)];
  if (findings[0]?.state === 'fail') return findings;
  findings.push(await dns(patient));
  if (findings[1]?.state === 'fail') return findings;
  await examineBus(patient, now, findings).catch((fault: unknown) => findings.push(unreachable(fault)));
  return findings;
};
