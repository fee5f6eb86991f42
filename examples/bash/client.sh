# The connection that the environment variables name; to be sourced. Needs bash 4.4, curl and jq.
for name in SOMBUS_BASE_URL SOMBUS_WORKSPACE SOMBUS_CLIENT_ID SOMBUS_CLIENT_SECRET; do
  [[ -n ${!name:-} ]] || { echo "Set $name." >&2; exit 2; }
done
case $SOMBUS_BASE_URL in
  https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
  *) echo "$SOMBUS_BASE_URL is not https." >&2; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
renew_at=0

# send AUTHORIZATION CURL-ARGUMENTS...: repeats a request until the response is final; sets $status and $work/response.
# A wait of more than a minute (a daily quota) is final too.
send() {
  local authorization=$1 attempt seconds
  for attempt in 1 2 3 4 5 6 7 8; do
    : >"$work/headers" >"$work/response"
    # Secrets go through standard input: everybody on the machine can read a program's arguments.
    status=$(curl -sS --max-time 40 -H @- -D "$work/headers" -o "$work/response" -w '%{http_code}' "${@:2}" \
      <<<"Authorization: $authorization") || status=000 # no response, or one that broke off
    [[ $status =~ ^(000|429|502|503|504)$ ]] || return 0
    seconds=$(tr -d '\r' <"$work/headers" | sed -n 's/^[Rr]etry-[Aa]fter: *//p')
    (( attempt < 8 && ${seconds:-0} <= 60 )) || return 0
    sleep "${seconds:-$attempt}.$((RANDOM % 10))"
  done
}

renew() {
  local basic
  basic=$(jq -nr '[env.SOMBUS_CLIENT_ID, env.SOMBUS_CLIENT_SECRET | @uri] | join(":") | @base64')
  send "Basic $basic" -d grant_type=client_credentials "$SOMBUS_BASE_URL/oauth/token"
  [[ $status == 200 ]] || give_up 'No token: '
  token=$(jq -er .access_token "$work/response")
  renew_at=$((SECONDS + $(jq .expires_in "$work/response") - 60))
}

# call PATH CURL-ARGUMENTS...: calls a path of the workspace; a refused token is renewed once.
call() {
  local url="$SOMBUS_BASE_URL/tenants/$SOMBUS_WORKSPACE/$1"
  (( SECONDS < renew_at )) || renew
  send "Bearer $token" "${@:2}" "$url"
  [[ $status == 401 ]] || return 0
  renew
  send "Bearer $token" "${@:2}" "$url"
}

give_up() {
  echo "${1:-}$status $(cat "$work/response")" >&2
  exit 1
}
