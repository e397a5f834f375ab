#!/bin/sh
# One delivery from webhook to completed verdict, on this machine, with nothing but Rust, Git and a
# shell. Everything is made under target/quick-start, anew each time.
#
# AMISS names a binary that is there already; without it this builds one. With the argument
# `prepare` it stops before the delivery, and leaves the files for you to try things on.
set -eu
cd "$(dirname "$0")/.."
here=$(pwd)
unset AMISS_ROOT AMISS_HOST_ROOT

say() { printf '\n# %s\n' "$1" >&2; }

# Of two files with the same bytes the same 64 digits, on Linux and on macOS.
sha256() {
    if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

if [ -z "${AMISS:-}" ]; then
    say "build amiss"
    cargo build --locked
    AMISS=${CARGO_TARGET_DIR:-$here/target}/debug/amiss
fi
amiss() { "$AMISS" "$@"; }

work=${QUICK_START_DIR:-$here/target/quick-start}
rm -rf "$work"
mkdir -p "$work"
chmod 700 "$work"
cd "$work"
mkdir -m 700 root scratch published

say "a repository with a branch to merge into and a candidate"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Mona GIT_AUTHOR_EMAIL=mona@example.org
export GIT_COMMITTER_NAME=Mona GIT_COMMITTER_EMAIL=mona@example.org
git init -q -b main repository
echo "hello" > repository/greeting.txt
git -C repository add greeting.txt
git -C repository commit -q -m "Say hello"
git -C repository checkout -q -b topic
echo "hello, world" > repository/greeting.txt
git -C repository commit -q -a -m "Say it to everybody"
git -C repository checkout -q main
# A forge shows the candidate of its pull request 7 under this name too.
git -C repository update-ref refs/pull/7/head topic
candidate=$(git -C repository rev-parse topic)
base=$(git -C repository rev-parse main)

say "the operator's files: a secret, a keyring, a route, a seal key, the action, the plan"
umask 077
od -An -N32 -tx1 /dev/urandom | tr -d ' \n' > hook.key
amiss seal-key seal.key > /dev/null
cat > hooks.keyring.json <<JSON
{"schema":"amiss/keyring/v1","trust_set":"hooks-2026",
 "keys":[{"anchor":"2026-a","secret_file":"hook.key","encoding":"raw",
          "active_from_unix_millis":0,"active_until_unix_millis":null}]}
JSON
cat > route.json <<JSON
{"schema":"amiss/route/v1",
 "provider":{"namespace":"github","instance":"github.com"},
 "scheme":"github","trust_set":"hooks-2026","keyring":"hooks.keyring.json",
 "signed_time":"replay-only","target_branch":"main",
 "replay_window":{"max_signed_age_millis":300000,"max_queue_age_millis":60000}}
JSON
git init -q -b main action
cp "$here/fixtures/bootstrap/review" action/bootstrap
git -C action add bootstrap
git -C action commit -q -m "The action that judges"
cat > plan.json <<JSON
{"schema":"amiss/plan/v1","required_status_name":"amiss",
 "execution":{"bootstrap":"$work/action/bootstrap","bootstrap_sha256":"$(sha256 action/bootstrap)",
              "wall_timeout_millis":60000,
              "action":{"commit":"$(git -C action rev-parse HEAD)","tree":"$(git -C action rev-parse 'HEAD^{tree}')"}},
 "controls":{},"semantic":[]}
JSON

say "prepare the record root, once"
amiss ledger init --root root --lease-ms 60000 --max-records 100000 \
    --max-signed-age-ms 300000 --max-queue-age-ms 60000

say "what a forge sends: a pull request, signed"
sed -e "s/@CANDIDATE@/$candidate/" -e "s/@BASE@/$base/" \
    "$here/fixtures/quick-start/pull-request.json" > pull-request.json
amiss ingress-sign --route route.json < pull-request.json > request.json

[ "${1:-}" != prepare ] || exit 0

# The whole flow. Each step is a process of its own; the envelope between them is JSON.
deliver() {
    amiss ingress-verify --route route.json --seal-key seal.key < request.json |
        amiss ledger claim --root root --plan plan.json --seal-key seal.key |
        amiss refresh --repository repository --target refs/heads/main --candidate refs/heads/topic |
        amiss run-bootstrap --root root --plan plan.json --seal-key seal.key \
            --repository repository --action-repository action --scratch scratch |
        amiss refresh --repository repository --target refs/heads/main --candidate refs/heads/topic |
        amiss ledger stage --root root --seal-key seal.key |
        PUBLISHED_INTO="$work/published" amiss publish -- "$here/fixtures/quick-start/publish.sh" |
        amiss ledger complete --root root --seal-key seal.key
}

say "from the webhook to the completed verdict"
deliver > verdict.json
cat verdict.json

say "the same webhook again: nothing runs twice"
deliver > again.json
cat again.json

say "what became of it"
sed -n 's/.*"conclusion":"\([a-z]*\)".*"completion":{"result":"\([a-z]*\)".*/verdict: \1, \2/p' verdict.json
sed -n 's/.*"claim":{"result":"\([a-z]*\)".*/the second time: \1/p' again.json
