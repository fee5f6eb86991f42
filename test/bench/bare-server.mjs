// The least an HTTP server on Node can do with a publish: read it, and answer. Prints its port.
import { createServer } from 'node:http';

const body = Buffer.from('{"accepted":true}');
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
