// Loaded into a service before its program: ends it as SUDDEN_END says when SIGUSR2 comes.
const endings = {
  'an exit': () => process.exit(7),
  'an error': () => {
    throw new Error('a sudden end');
  },
};

process.on('SIGUSR2', endings[process.env.SUDDEN_END]);
