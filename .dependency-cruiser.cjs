// Which folder may import which, beside itself, and who may know what an edge is made of. `npm run lint` checks it.
const mayImport = {
  contract: [],
  client: [],
  executor: ['client'],
  newsroom: ['client', 'executor'],
  json: ['contract'],
  http: ['contract'],
  aws: ['contract', 'json'],
  infra: ['contract', 'json'],
  engines: ['json'],
  stories: ['contract', 'json'],
  messages: ['contract', 'json', 'stories'],
  registry: ['contract', 'json', 'messages', 'http', 'aws'],
  activity: ['contract', 'delivery', 'registry', 'http', 'aws'],
  tokens: ['contract', 'json', 'registry', 'activity', 'http', 'aws'],
  seals: ['contract', 'registry', 'aws'],
  skills: ['contract', 'json', 'registry', 'seals', 'http', 'aws'],
  delivery: ['contract', 'json', 'registry', 'stories', 'aws'],
  publishing: ['contract', 'json', 'messages', 'stories', 'delivery', 'registry', 'activity', 'http'],
  replay: ['contract', 'delivery', 'registry', 'activity', 'aws'],
  consuming: ['contract', 'json', 'registry', 'seals', 'activity', 'replay', 'http', 'aws'],
  checks: [
    'contract',
    'json',
    'registry',
    'seals',
    'delivery',
    'publishing',
    'activity',
    'skills',
    'http',
    'aws',
  ],
  descriptions: ['contract', 'http'],
  alerts: ['contract', 'registry', 'aws'],
};
const capabilities = Object.keys(mayImport).filter(
  folder => !['client', 'executor', 'newsroom', 'infra', 'engines'].includes(folder),
);
Object.assign(mayImport, {
  portal: capabilities.filter(folder => folder !== 'consuming' && folder !== 'messages'),
  wiring: [...capabilities, 'portal', 'client'],
  local: ['contract', 'json', 'http', 'aws', 'engines', 'registry', 'tokens', 'wiring'],
});
Object.assign(mayImport, {
  cli: [...capabilities, 'client', 'executor', 'newsroom', 'engines', 'wiring', 'local'].filter(
    one => one !== 'http',
  ),
  testing: ['contract', 'json', 'aws', 'engines', 'registry', 'wiring', 'local', 'cli', 'client'],
});

const inFolders = folders => `^lib/(${folders.join('|')})/`;
const suffixed = suffixes => `[./](${suffixes.join('|')})\\.ts$`;
const adapters = ['dynamodb', 'sqs', 'kms', 'apigateway', 'cloudwatch', 'wafv2', 'ses'];

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
      from: { path: '^lib/', pathNot: inFolders([...Object.keys(mayImport), 'generated']) },
      to: {},
    },
    ...Object.entries(mayImport).map(([folder, others]) => ({
      name: `${folder}-imports-what-it-may`,
      severity: 'error',
      from: { path: `^lib/${folder}/` },
      to: {
        path: '^(lib|lambdas|bin|test|scripts|web)/',
        pathNot: inFolders([folder, ...others, 'generated']),
      },
    })),
    {
      name: 'entries-only-start',
      severity: 'error',
      from: { path: '^(lambdas|bin)/' },
      to: { path: '^lib/', pathNot: inFolders(['http', 'wiring', 'cli', 'infra']) },
    },
    only('the-aws-sdk', 'node_modules/@aws-sdk/', {
      suffixes: adapters,
      folders: ['aws', 'wiring', 'local', 'cli', 'testing'],
    }),
    only('adapters', suffixed(adapters), { suffixes: adapters, folders: ['wiring', 'local', 'cli'] }),
    only('http', '(^lib/http/|\\.http\\.ts$)', { suffixes: ['http'], folders: ['http', 'wiring', 'local'] }),
    // public-addresses.ts only computes: node:net has the block lists.
    only('files-and-sockets', '^(fs|net|https?|dns|child_process)(/|$)', {
      suffixes: ['fetch', 'file', 'public-addresses'],
      folders: ['engines', 'local', 'cli', 'infra', 'testing'],
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
