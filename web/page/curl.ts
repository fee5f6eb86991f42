/** Asks for a token, without a program that not every machine has. */
export const tokenLines: readonly string[] = [
  'TOKEN=$(curl -sS -u "$SOMBUS_CLIENT_ID:$SOMBUS_CLIENT_SECRET" \\',
  '  -d grant_type=client_credentials "$SOMBUS_TOKEN_URL" |',
  `  sed 's/.*"access_token": *"\\([^"]*\\)".*/\\1/')`,
];

/** The workspace's URL, made of the variables of a connection; the base has a slash at its end. */
export const tenantUrl = `\${SOMBUS_BASE_URL}tenants/$SOMBUS_WORKSPACE`;
