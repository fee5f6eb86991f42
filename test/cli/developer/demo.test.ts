import { sombus } from '../../support/commands.ts';

test('the demo sends a story through a service of its own, which both ways out give unchanged', async () => {
  const { code, stdout, stderr } = await sombus('demo');
  const lines = stdout.trimEnd().split('\n');
  expect([code, stderr, lines.at(-1)]).toEqual([
    0,
    '',
    '7 accepted, 7 delivered in order, 7 byte for byte',
  ]);
  for (const [begin, count] of [
    ['published', 7],
    ['pulled', 7],
    ['received', 7],
  ] as const)
    expect([begin, lines.filter(line => line.startsWith(begin)).length]).toEqual([begin, count]);
  const [published = '', pulled = '', received = ''] = [0, 7, 14].map(at => lines[at]);
  expect(published).toMatch(/^published {2}snapshot 1 {2}\d{3,} bytes {2}202 \{"accepted":true,/);
  expect(pulled).toMatch(/^pulled {5}\S{36} {2}receipt \S{12}…$/);
  expect(received).toBe(`received   ${/\d{3,}/.exec(published)?.[0]} bytes from SQS`);
});
