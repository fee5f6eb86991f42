#!/usr/bin/env bash
# Receives until the queue is empty, and keeps the newest snapshot of each story. Needs curl and jq.
set -euo pipefail
queue="$SOMBUS_BASE_URL/tenants/$SOMBUS_WORKSPACE/consumers/$SOMBUS_CLIENT_ID"
token=$(curl -sS -u "$SOMBUS_CLIENT_ID:$SOMBUS_CLIENT_SECRET" -d grant_type=client_credentials \
  "$SOMBUS_BASE_URL/oauth/token" | jq -er .access_token)

# A real consumer keeps both where they outlive the process.
declare -A handled newest

while :; do
  answer=$(curl -sSf -H "Authorization: Bearer $token" "$queue/messages?max=10&wait=1")
  [[ $(jq '.messages | length' <<<"$answer") == 0 ]] && break
  while IFS=$'\t' read -r id type story sequence; do
    [[ -n ${handled[$id]:-} ]] && continue
    handled[$id]=yes
    if [[ $type == story.context ]]; then
      (( sequence > ${newest[$story]:--1} )) || continue
      newest[$story]=$sequence
    fi
    echo "$type $id"
  done < <(jq -r '.messages[] | [.message_id, .message_type, .envelope.payload.story_id // "-",
    .envelope.payload.sequence_number // 0] | @tsv' <<<"$answer")
  jq '{receipt_handles: [.messages[].receipt_handle]}' <<<"$answer" |
    curl -sSf -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d @- "$queue/ack" >/dev/null
done
