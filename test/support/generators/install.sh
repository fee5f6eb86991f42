#!/usr/bin/env bash
# Installs the generators of client code that the descriptions are tried with, each kind by itself: npm packages, Python
# packages, Go modules and Java libraries. A kind that cannot be installed is reported, and its tests are skipped.
set -uo pipefail
cd "$(dirname "$0")"
missing=0

try() {
  local what=$1
  shift
  "$@" || { echo "NOTICE: $what cannot be installed here: their tests are skipped"; missing=1; }
}

python() {
  python3 -m venv .python && .python/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
}

go_generator() {
  go mod download && go build -o .go/oapi-codegen github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen
}

try 'the generators from npm' npm ci --ignore-scripts --no-audit --no-fund
try 'the Python generators' python
try 'the Go generator' go_generator
try 'the Java libraries' mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=.java
exit "$missing"
