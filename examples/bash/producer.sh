#!/usr/bin/env bash
# Publishes the message in a file: producer.sh message.json
set -euo pipefail
source "$(dirname "$0")/client.sh"
# --data-binary sends the bytes unchanged; a retry sends the same bytes.
call messages -H 'Content-Type: application/json' --data-binary "@${1:-message.json}"
[[ $status == 20[02] ]] || give_up
echo "$status $(cat "$work/response")"
