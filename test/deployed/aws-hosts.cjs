// Sends each connection to a host of AWS to the emulator on this machine, and trusts its
// certificate there. Nothing else changes: no endpoint is configured anywhere.
const { readFileSync } = require('node:fs');
const net = require('node:net');
const tls = require('node:tls');

const port = Number(process.env.EMULATOR_PORT);
const certificate = readFileSync(process.env.EMULATOR_CERTIFICATE);
const isAws = host => /\.(amazonaws\.com|amazoncognito\.com)$/.test(String(host ?? ''));

const connectSocket = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  // Node hands over its own array of normalised arguments, which carries a mark.
  const isNormalised = Array.isArray(args[0]);
  const options = isNormalised ? args[0][0] : args[0];
  if (!isAws(options?.host)) return connectSocket.apply(this, args);
  const moved = { ...options, host: '127.0.0.1', port, lookup: undefined };
  if (!isNormalised) return connectSocket.call(this, moved, ...args.slice(1));
  const normalised = Object.assign([...args[0]], { 0: moved });
  for (const mark of Object.getOwnPropertySymbols(args[0])) normalised[mark] = args[0][mark];
  return connectSocket.call(this, normalised, ...args.slice(1));
};

const connectSecurely = tls.connect;
tls.connect = (options, ...more) => {
  if (!isAws(options?.host)) return connectSecurely(options, ...more);
  return connectSecurely({ ...options, ca: certificate }, ...more);
};
