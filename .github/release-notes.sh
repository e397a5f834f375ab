#!/bin/sh
# Prints the part of CHANGELOG.md that belongs to one version: release-notes.sh 0.1.0
set -eu
cd "$(dirname "$0")/.."
awk -v version="$1" '
    /^## / { inside = ($2 == version); next }
    inside { print; found = 1 }
    END { if (!found) exit 1 }
' CHANGELOG.md || { echo "CHANGELOG.md has no part for $1" >&2; exit 1; }
