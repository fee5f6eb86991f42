import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { RunResponse } from '../../lib/contract/portal/work-responses.ts';
import { runLook } from '../checks/run-look.ts';
import { call } from '../page/call.ts';
import { useCall, useDoing } from '../page/data.tsx';
import { State } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { ConnectionName } from '../page/names.tsx';
import { Ago } from '../page/time.tsx';

interface EndedRun extends RunResponse {
  readonly ended_at: string;
}

const hasEnded = (run: RunResponse): run is EndedRun =>
  run.status !== 'running' && run.ended_at !== undefined;

const Line = ({ w, run }: { readonly w: string; readonly run: EndedRun }) => {
  const doing = useDoing();
  const c = run.connections[0]?.connection_id ?? '';
  const names = { w, c, t: run.run_id };
  // It is judged, and its file is made, when somebody asks for it.
  const read = () => call('check.show', { names });
  const keep = async (report: ResponseOf<'check.show'>) => {
    const { saveReport } = await import('../checks/save-report.ts');
    await saveReport(report, 'html');
  };
  const download = () => doing.run(read, undefined, keep);
  return (
    <Container>
      <ul className="troubles">
        <li className="trouble">
          <State of={runLook(run.status, 'Last test run')} />
          <span>
            <a href={urlOf('run', names)}>
              <ConnectionName id={c} isShort />
            </a>{' '}
            tested as {run.kind}, {run.status} <Ago at={run.ended_at} />
          </span>
          <Button
            variant="inline-link"
            iconName="download"
            loading={doing.isBusy}
            onClick={() => void download()}
          >
            Download report
          </Button>
        </li>
      </ul>
      {doing.trouble}
    </Container>
  );
};

/** The newest test run that has ended, with its report. */
export const LastRun = ({ w }: { readonly w: string }) => {
  const { value } = useCall('check.all', { names: { w } });
  const run = value?.runs.find(hasEnded);
  return run ? <Line w={w} run={run} /> : null;
};
