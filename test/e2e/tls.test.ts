import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { routes } from '../../lib/contract/routes.ts';
import { opensslLacks, selfSigned } from '../support/certificate.ts';
import { dev, sombusWith, startService, temporaryFolder } from '../support/service-process.ts';
import { services } from '../support/services.ts';
import { describeUnless } from '../support/where.ts';

const { folder } = services();

const refusal = async (...args: readonly string[]): Promise<string> => {
  const { code, stderr } = await dev('--data', folder(), ...args);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^[^\n]+\.\n$/)]);
  return stderr;
};

describe('sombus dev refuses in one sentence', () => {
  test('an address that others can reach, without TLS', async () => {
    const words = await refusal('--host', '192.0.2.7');
    expect(words).toContain('secrets would travel there in the clear');
    expect(words).toContain(
      '--tls-cert and --tls-key, or leave out --host and forward the port with ssh -L',
    );
  });

  test('all interfaces, which is no address that a client could use', async () => {
    for (const host of ['0.0.0.0', '[::]'])
      expect(await refusal('--host', host)).toContain('is not an address that others can use');
  });

  test('a certificate without its key, and a file that is not there', async () => {
    expect(await refusal('--tls-cert', 'cert.pem')).toContain('give both --tls-cert and --tls-key');
    expect(await refusal('--tls-cert', 'none.pem', '--tls-key', 'none.pem')).toMatch(
      /^The file of --tls-cert cannot be read \(ENOENT/,
    );
  });
});

describeUnless(opensslLacks(), 'with a certificate,', () => {
  /** Not the usual loopback address: what listens there listens nowhere else. */
  const host = '127.0.0.2';
  const pairFor = (name: string) => {
    const { certFile, keyFile } = selfSigned(folder(), name);
    return ['--tls-cert', certFile, '--tls-key', keyFile] as const;
  };

  test('one for another host, or of another key, is refused', async () => {
    const [, certFile, ...key] = pairFor('DNS:laptop-b.example');
    expect(await refusal('--host', host, '--tls-cert', certFile, ...key)).toContain(
      'is for DNS:laptop-b.example, not for 127.0.0.2',
    );
    const [, otherFile] = pairFor(`IP:${host}`);
    expect(await refusal('--host', host, '--tls-cert', otherFile, ...key)).toContain(
      'belong together',
    );
  });

  test('an address of another machine is refused', async () => {
    expect(await refusal('--host', '192.0.2.7', ...pairFor('IP:192.0.2.7'))).toContain(
      '192.0.2.7 is not an address of this machine',
    );
  });

  describe('the service', () => {
    const { path, remove } = temporaryFolder();
    const data = join(path, 'data');
    let service: Awaited<ReturnType<typeof startService>>;
    let ca: string;
    beforeAll(async () => {
      const { certFile, keyFile } = selfSigned(path, `IP:${host}`);
      ca = certFile;
      service = await startService(
        data,
        '--host',
        host,
        '--tls-cert',
        certFile,
        '--tls-key',
        keyFile,
      );
    });
    afterAll(async () => {
      expect(await service.stop()).toBe(0);
      remove();
    });

    /** Asks the bus for its metadata with a Host header. */
    const metadataAt = (port: string, name: string): Promise<{ status: number; body: string }> =>
      new Promise((resolve, reject) => {
        const options = {
          host,
          port,
          path: routes['oauth-metadata'].path,
          ca: readFileSync(ca),
        };
        // A browser compares the certificate with the address it was given; here the name is only
        // in Host.
        const checkServerIdentity = () => undefined;
        request({ ...options, checkServerIdentity, headers: { host: name } }, async response => {
          let body = '';
          for await (const chunk of response) body += chunk;
          resolve({ status: response.statusCode ?? 0, body });
        })
          .once('error', reject)
          .end();
      });

    test('says https and the host in every address, and keeps the engines on loopback', async () => {
      const { base_url, portal_url, endpoints } = service.ready;
      expect(base_url).toMatch(/^https:\/\/127\.0\.0\.2:\d+\/v1$/);
      expect(portal_url).toMatch(/^https:\/\/127\.0\.0\.2:\d+$/);
      for (const endpoint of Object.values(endpoints))
        expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:/);
      const { port } = new URL(base_url);
      const { status, body } = await metadataAt(port, host);
      expect([status, JSON.parse(body)]).toEqual([
        200,
        expect.objectContaining({
          issuer: `${base_url}/oauth`,
          token_endpoint: `${base_url}/oauth/token`,
        }),
      ]);
    });

    test('responds to no other name, and to nothing that is not TLS', async () => {
      const { port } = new URL(service.ready.base_url);
      const { status, body } = await metadataAt(port, 'rebound.example');
      expect([status, body]).toEqual([403, expect.stringContaining('the host rebound.example')]);
      const answered = await new Promise<string>(resolve => {
        const socket = connect(Number(port), host, () =>
          socket.write('GET /v1/health HTTP/1.1\r\n\r\n'),
        );
        let response = '';
        socket.on('data', chunk => {
          response += chunk;
        });
        socket.on('error', () => undefined);
        socket.once('close', () => resolve(response));
      });
      expect(answered).not.toContain('HTTP/1.1');
    });

    test('contents the doctor where the certificate is known, and nowhere else', async () => {
      const trusting = { NODE_EXTRA_CA_CERTS: ca };
      const { code, stdout } = await sombusWith(trusting, 'doctor', '--data', data);
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/^ok {3}tls {9}the certificate is trusted$/m),
      ]);
      expect(stdout).toMatch(/^ok {3}token/m);
      const { code: untrusting, stdout: words } = await sombusWith({}, 'doctor', '--data', data);
      expect([untrusting, words]).toEqual([
        1,
        expect.stringContaining('name the file of its certificate in NODE_EXTRA_CA_CERTS'),
      ]);
    });

    test('publishes and pulls with the commands of this machine', async () => {
      const trusting = { NODE_EXTRA_CA_CERTS: ca };
      const { stdout: message } = await sombusWith({}, 'example', '--type', 'story.context');
      const file = join(path, 'message.json');
      writeFileSync(file, message);
      expect(await sombusWith(trusting, 'publish', file, '--data', data)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^accepted: story\.context /),
      });
    });
  });
});
