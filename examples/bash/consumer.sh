#!/usr/bin/env bash
# Receives until the queue is empty, and keeps the latest snapshot of each story.
set -euo pipefail
source "$(dirname "$0")/client.sh"

# A real consumer keeps both in a database.
declare -A handled latest

# Whether a snapshot is newer than the one that we have. jq compares, because bash overflows.
is_news() {
  jq -n --argjson this "$2" --argjson known "${latest[$1]:--1}" \
    'if $this | type != "number" then error("no sequence_number") else $this >= $known end'
}

handle() {
  local id=$1 type=$2 story=$3 sequence=$4 news=true
  [[ -z ${handled[$id]:-} ]] || return 0
  if [[ $type == story.context ]]; then
    news=$(is_news "$story" "$sequence") || return 1
    [[ $news == true ]] && latest[$story]=$sequence
  fi
  [[ $news == true ]] && echo "$type $id"
  handled[$id]=yes
}

# settle ack|nack RECEIPT-HANDLES...
settle() {
  (( $# > 1 )) || return 0
  jq -n --arg how "$1" '{receipt_handles: $ARGS.positional} + if $how == "nack" then {delay_seconds: 30} else {} end' \
    --args "${@:2}" >"$work/receipts"
  call "consumers/$SOMBUS_CLIENT_ID/$1" -H 'Content-Type: application/json' --data-binary "@$work/receipts"
  [[ $status == 200 ]] || give_up
}

# A pull goes on for three seconds after its first message: fewer requests, of the 600 a minute that
# all systems behind one address share.
while call "consumers/$SOMBUS_CLIENT_ID/messages?max=10&wait=1&collect=3"; do
  [[ $status == 200 ]] || give_up
  jq -c '.messages[]' "$work/response" >"$work/messages"
  [[ -s $work/messages ]] || break
  handles=() failed=()
  declare -A stuck=()
  while IFS= read -r message; do
    mapfile -t field < <(jq -r '.message_id, .message_type, .correlation_id, .receipt_handle,
      (.envelope.payload | .story_id, .sequence_number | tojson)' <<<"$message")
    correlation=${field[2]}
    # Messages of one correlation_id stay in order.
    if [[ -z ${stuck[$correlation]:-} ]] && handle "${field[0]}" "${field[1]}" "${field[4]}" "${field[5]}"; then
      handles+=("${field[3]}")
    else
      # Check receive_count too: a message that keeps failing needs a person.
      echo "failed ${field[0]}" >&2
      stuck[$correlation]=yes
      failed+=("${field[3]}")
    fi
  done <"$work/messages"
  settle ack "${handles[@]}"
  settle nack "${failed[@]}"
done
