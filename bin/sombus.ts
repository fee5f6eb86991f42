import { main } from '../lib/cli/main.ts';

// The SDK's notice about future Node versions is for the project's maintainers, not for its users.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

void main(process.argv).then(code => process.exit(code));
