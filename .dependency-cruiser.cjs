// Which wing of `lib` may import which, then the rooms that may import less, then who may know what
// an edge is made of. `npm run lint` checks it. The pages in `web` are for
// test/structure/imports.test.ts: this program reads no JSX without an older TypeScript.
const wings = {
  contract: [],
  platform: ['contract'],
  kit: [],
  infra: ['contract'],
  som: ['contract', 'platform'],
  access: ['contract', 'platform', 'som'],
  bus: ['contract', 'platform', 'som', 'access'],
  skills: ['contract', 'platform', 'access'],
  checks: ['contract', 'platform', 'som', 'access', 'bus', 'skills'],
  portal: ['contract', 'platform', 'som', 'access', 'bus', 'skills', 'checks'],
  wiring: ['contract', 'platform', 'kit', 'access', 'bus', 'skills', 'checks', 'portal'],
  local: ['contract', 'platform', 'kit', 'access', 'bus', 'wiring'],
  cli: [
    'contract',
    'platform',
    'kit',
    'som',
    'access',
    'bus',
    'skills',
    'checks',
    'wiring',
    'local',
  ],
};

/** What a room may import of its own wing. */
const rooms = {
  'platform/json': [],
  'platform/http': [],
  'platform/aws': ['platform/json'],
  'som/stories': [],
  'som/messages': ['som/stories'],
  'bus/delivery': [],
  'bus/activity': ['bus/delivery'],
  'bus/tokens': ['bus/activity'],
  'bus/publishing': ['bus/delivery', 'bus/activity'],
  'bus/replay': ['bus/delivery', 'bus/activity'],
  'bus/consuming': ['bus/replay', 'bus/activity'],
  'portal/alerts': [],
  'portal/descriptions': [],
  'local/engines': [],
  'kit/client': [],
  'kit/executor': ['kit/client'],
  'kit/newsroom': ['kit/client', 'kit/executor'],
  'cli/frame': [],
  'cli/operator': ['cli/frame'],
  'cli/deployment': ['cli/frame', 'cli/developer'],
  'cli/developer': ['cli/frame', 'cli/operator'],
};

const inFolders = folders => `^lib/(${folders.join('|')})/`;
const suffixed = suffixes => `[./](${suffixes.join('|')})\\.ts$`;
const adapters = [
  'dynamodb',
  'sqs',
  'kms',
  'apigateway',
  'cloudwatch',
  'wafv2',
  'ses',
  'cognito',
  'sts',
];
/** The local service without the engines, which know nothing of the bus. */
const localService = 'local(?!/(engines|testing))';

/** Only files with these suffixes, and these folders, may import what matches. */
const only = (name, path, { suffixes, folders }) => ({
  name: `only-edges-know-${name}`,
  severity: 'error',
  from: { path: '^lib/', pathNot: [suffixed(suffixes), inFolders(folders)] },
  to: { path },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'folder-without-a-row',
      severity: 'error',
      from: { path: '^lib/', pathNot: inFolders([...Object.keys(wings), 'generated']) },
      to: {},
    },
    ...Object.entries(wings).map(([wing, others]) => ({
      name: `${wing}-imports-what-it-may`,
      severity: 'error',
      from: { path: `^lib/${wing}/` },
      to: {
        path: '^(lib|lambdas|bin|test|scripts|web)/',
        pathNot: inFolders([wing, ...others, 'generated']),
      },
    })),
    ...Object.entries(rooms).map(([room, others]) => ({
      name: `${room.replace('/', '-')}-imports-what-it-may`,
      severity: 'error',
      from: { path: `^lib/${room}/` },
      to: { path: `^lib/${room.split('/')[0]}/`, pathNot: inFolders([room, ...others]) },
    })),
    {
      name: 'engines-know-nothing-of-the-bus',
      severity: 'error',
      from: { path: '^lib/local/engines/' },
      to: { path: '^lib/', pathNot: inFolders(['local/engines', 'platform/json']) },
    },
    {
      name: 'entries-only-start',
      severity: 'error',
      from: { path: '^(lambdas|bin)/' },
      to: { path: '^lib/', pathNot: inFolders(['platform/http', 'wiring', 'cli', 'infra']) },
    },
    only('the-aws-sdk', 'node_modules/@aws-sdk/', {
      suffixes: adapters,
      folders: ['platform/aws', 'wiring', 'local(?!/engines)', 'cli'],
    }),
    only('adapters', suffixed(adapters), {
      suffixes: adapters,
      folders: ['wiring', localService, 'cli'],
    }),
    only('http', '(^lib/platform/http/|\\.http\\.ts$)', {
      suffixes: ['http'],
      folders: ['platform/http', 'wiring', localService],
    }),
    // public-addresses.ts only computes: node:net has the block lists.
    only('files-and-sockets', '^(fs|net|https?|dns|child_process)(/|$)', {
      suffixes: ['fetch', 'file', 'public-addresses'],
      folders: ['local', 'cli', 'infra'],
    }),
    only('cdk', 'node_modules/(aws-cdk-lib|constructs)/', { suffixes: [], folders: ['infra'] }),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'lib/generated' },
  },
};
