import { join } from 'node:path';
import { main } from '../lib/cli/main.ts';

// The SDK's notice about future Node versions is for the project's maintainers, not for its users.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

// An end without `process.exit` would close the database behind its checksums (lib/engines/store/store.ts, Guard).
void main(process.argv, undefined, join(__dirname, 'engines.js')).then(code => process.exit(code));
