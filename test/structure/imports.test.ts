import { circlesIn, importsIn } from '../../scripts/imports.ts';

const imports = importsIn('lib', 'lambdas', 'bin', 'web');

test('a circle of files is found', () => {
  const round = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c', 'd'])],
    ['c', new Set(['b'])],
    ['d', new Set<string>()],
  ]);
  expect(circlesIn(round)).toEqual([['b', 'c']]);
});

test('no files import each other in a circle, types and pages included', () => {
  expect([...imports.keys()].filter(path => path.endsWith('.tsx')).length).toBeGreaterThan(50);
  expect(circlesIn(imports)).toEqual([]);
});

/** What runs in a browser: facts, and decisions without any edge. */
const forPages =
  /^(web|schemas)\/|^lib\/(contract|platform\/json|som|skills|checks)\/|^lib\/access\/registry\/patterns\.ts$/;
const edges = /\.(dynamodb|sqs|kms|apigateway|cloudwatch|wafv2|ses|http|fetch|file)\.ts$/;

test('pages import nothing but what runs in a browser', () => {
  const imported = [...imports].flatMap(([path, all]) => (path.startsWith('web/') ? [...all] : []));
  expect(imported.length).toBeGreaterThan(200);
  expect(imported.filter(path => !forPages.test(path) || edges.test(path))).toEqual([]);
});
