#!/usr/bin/env bash
# Publishes the message in a file: producer.sh message.json. Needs curl and jq.
set -euo pipefail
file=${1:-examples/message.json}
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

new_token() {
  curl -sS -u "$SOMBUS_CLIENT_ID:$SOMBUS_CLIENT_SECRET" -d grant_type=client_credentials \
    "$SOMBUS_BASE_URL/oauth/token" | jq -er .access_token
}

token=$(new_token)
for attempt in 1 2 3 4 5 6 7 8; do
  # --data-binary sends the bytes as they are; a retry sends the same ones.
  status=$(curl -sS -o "$answer" -w '%{http_code}' -H "Authorization: Bearer $token" \
    -H 'Content-Type: application/json' --data-binary "@$file" \
    "$SOMBUS_BASE_URL/tenants/$SOMBUS_WORKSPACE/messages" || true)
  case $status in
    401) token=$(new_token) ;;
    429 | 503 | 000) sleep "$attempt" ;;
    *) break ;;
  esac
done
echo "$status $(cat "$answer")"
[[ $status == 20[02] ]]
