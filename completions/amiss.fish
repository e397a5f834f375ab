# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_amiss_global_optspecs
    string join \n q/quiet v/verbose h/help V/version
end

function __fish_amiss_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_amiss_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_amiss_using_subcommand
    set -l cmd (__fish_amiss_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c amiss -n "__fish_amiss_needs_command" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_needs_command" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_needs_command" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_needs_command" -s V -l version -d 'Print version'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "ingress-verify" -d 'Authenticate one raw request and accept its delivery'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "ledger" -d 'The delivery record'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "refresh" -d 'State what exactly is to be judged'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "run-bootstrap" -d 'Run the evaluation under supervision'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "publish" -d 'Hand the frozen verdict to the operator\'s program'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "seal-key" -d 'Make a seal key'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "ingress-sign" -d 'Make a signed request, for testing a receiver'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "outbox" -d 'Push results to their origin from a durable outbox'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "bench" -d 'Measure this disk'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "schema" -d 'Print the JSON Schemas'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "completions" -d 'Print shell completions'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "man" -d 'Write the man pages'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "explain" -d 'Say what an error code means and what to do'
complete -c amiss -n "__fish_amiss_needs_command" -f -a "help" -d 'Print the help of a command, or the exit statuses'
complete -c amiss -n "__fish_amiss_using_subcommand ingress-verify" -l route -d 'The operator\'s route: who may send, how it is proved, what it is for' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ingress-verify" -l root -d 'Take the replay window of this record root; a route that names another is refused' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ingress-verify" -l seal-key -d 'Seal the delivery with this key, so that no later stage can change it' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ingress-verify" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ingress-verify" -l cgi -d 'Read a CGI/1.1 request: headers from the environment, the body from standard input'
complete -c amiss -n "__fish_amiss_using_subcommand ingress-verify" -l explain -d 'Say what was looked for and what was found: headers, key windows, clocks; no secret'
complete -c amiss -n "__fish_amiss_using_subcommand ingress-verify" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ingress-verify" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ingress-verify" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "init" -d 'Prepare a record root, or validate, migrate, settle and clean one'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "claim" -d 'Claim a delivery: who may evaluate it now, or what a retry publishes'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "renew" -d 'Renew a lease'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "stage" -d 'Freeze the verdict of a run'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "complete" -d 'End a delivery with the exact value that was published'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "cleanup" -d 'Remove what is safe to forget'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "show" -d 'Show one row, and what each command would answer now'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "list" -d 'List the rows'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "check" -d 'Validate everything and report every defect, read-only'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "stats" -d 'Counts, capacity, bytes, clock and age'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "quarantine" -d 'Move a damaged or unknown file out of a root'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "abandon" -d 'End a running or staged row by hand'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "resize" -d 'Change the cap of a root'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and not __fish_seen_subcommand_from init claim renew stage complete cleanup show list check stats quarantine abandon resize retune" -f -a "retune" -d 'Change the lease and the windows of a root'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -l lease-ms -d 'How long a lease runs, in milliseconds, at most 24 h' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -l max-records -d 'How many rows there may be, at most 10,000,000' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -l max-signed-age-ms -d 'The largest signed age of a request, in milliseconds, at most 30 days' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -l max-queue-age-ms -d 'The longest queue time of a request, in milliseconds, at most 30 days' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -l accept-clock -d 'Take the present clock on purpose, in either direction'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l seal-key -d 'Refuse a delivery whose seal by this key is missing or wrong' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l plan -d 'The plan that the delivery is claimed for; its digests are bound into the row' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -l check -d 'The binding itself, for a row whose plan is not at hand' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from claim" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -l seal-key -d 'Refuse a delivery whose seal by this key is missing or wrong' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from renew" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -l seal-key -d 'Refuse a delivery whose seal by this key is missing or wrong' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stage" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -l seal-key -d 'Refuse a delivery whose seal by this key is missing or wrong' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from complete" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l scratch -d 'Remove the scratch directories of dead runs in this folder too' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -l dry-run -d 'Report the same counts and change nothing'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from cleanup" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l key -d 'The row\'s key; without it and without an identity, envelopes are read from standard input' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l namespace -d 'The kind of forge of the delivery' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l instance -d 'The forge\'s installation' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l integration -d 'The integration there' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -l delivery -d 'The delivery\'s replay identity' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l format -d 'A table on a terminal and JSON elsewhere, unless said here' -r -f -a "json\t'One JSON document a line'
table\t'A table'"
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l state -d 'Only rows in this state' -r -f -a "running\t'Held, or held once'
staged\t'Waiting to be published'
done\t'Ended'"
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l provider -d 'Only rows of this kind of forge' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l expired -d 'Only done rows past their end'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -l stuck -d 'Only bounded rows past their end that never finished'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -l format -d 'A table on a terminal and JSON elsewhere, unless said here' -r -f -a "json\t'One JSON document a line'
table\t'A table'"
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from stats" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -l to -d 'Where to; an existing folder outside the root, on the same filesystem' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from quarantine" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l key -d 'The row\'s key' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l reason -d 'Why; it goes into the digest that the row keeps' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -l staged -d 'End a staged row too; its saved result is then never published'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from abandon" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -l max-records -d 'The new cap, up, or down to no less than the rows' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from resize" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -l expect-lease-ms -d 'Fail where the root\'s lease is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -l expect-max-records -d 'Fail where the root\'s cap is another' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -l expect-max-signed-age-ms -d 'Fail where the root\'s largest signed age is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -l expect-max-queue-age-ms -d 'Fail where the root\'s longest queue time is another, in milliseconds' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -l lease-ms -d 'How long a lease runs, in milliseconds, at most 24 h' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -l max-signed-age-ms -d 'The largest signed age of a request, in milliseconds, at most 30 days' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -l max-queue-age-ms -d 'The longest queue time of a request, in milliseconds, at most 30 days' -r
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ledger; and __fish_seen_subcommand_from retune" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand refresh" -l repository -d 'A clone or mirror of the repository, kept up to date by you' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand refresh" -l target -d 'The ref to be merged into, in full' -r
complete -c amiss -n "__fish_amiss_using_subcommand refresh" -l candidate -d 'The ref under which the candidate lives in that repository, in full' -r
complete -c amiss -n "__fish_amiss_using_subcommand refresh" -l forge -d 'The forge\'s URL dialect, where the provider namespace does not say it' -r
complete -c amiss -n "__fish_amiss_using_subcommand refresh" -l seal-key -d 'Refuse a delivery whose seal by this key is missing or wrong' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand refresh" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand refresh" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand refresh" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l root -d 'The record root, a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l lock-timeout -d 'How long to wait for a lock of the record' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l plan -d 'The plan that the delivery was claimed with' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l repository -d 'The judged repository' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l action-repository -d 'The action\'s repository' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l scratch -d 'Where the run\'s private directory is made, on a filesystem that allows execution' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l report-dir -d 'Where reports are kept under their digest; the scratch directory without this' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l semantic -d 'The file of a template that the plan names; once for each' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l pass-env -d 'Hand this variable on to the bootstrap, which has no others; repeatable' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l log -d 'Add the bootstrap\'s standard error to this file, 64 KiB of its head and of its tail' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l limit-memory -d 'Memory: of the whole tree where the host can, else of each process\'s data; 512MiB for example' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l limit-processes -d 'Processes of the whole tree; an error where the host cannot' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l limit-file-size -d 'The size of each file that is written' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l limit-open-files -d 'Open files of each process' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l nice -d 'Niceness, 0 to 19' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l seal-key -d 'Refuse a delivery whose seal by this key is missing or wrong' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l max-clock-step -d 'Refuse a clock that is further ahead of the root\'s last known time' -r
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l without-cgroup -d 'Use no cgroup, even where one could be made; the child subreaper holds the tree alone'
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -l doctor -d 'Say what this host can do, and run nothing'
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand run-bootstrap" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand publish" -l timeout -d 'When the program\'s whole process tree is killed' -r
complete -c amiss -n "__fish_amiss_using_subcommand publish" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand publish" -l seal-key -d 'Refuse a delivery whose seal by this key is missing or wrong' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand publish" -l without-cgroup -d 'Use no cgroup, even where one could be made; the child subreaper holds the tree alone'
complete -c amiss -n "__fish_amiss_using_subcommand publish" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand publish" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand publish" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand seal-key" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand seal-key" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand seal-key" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand ingress-sign" -l route -d 'The receiver\'s route; its keyring signs' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand ingress-sign" -l anchor -d 'Sign with this key instead of the newest active one' -r
complete -c amiss -n "__fish_amiss_using_subcommand ingress-sign" -l id -d 'The message id of a gitlab-webhook request' -r
complete -c amiss -n "__fish_amiss_using_subcommand ingress-sign" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand ingress-sign" -l form -d 'Send the body as the field `payload` of a form'
complete -c amiss -n "__fish_amiss_using_subcommand ingress-sign" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand ingress-sign" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand ingress-sign" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "enqueue" -d 'Record a push durably, with its pin'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "baseline" -d 'Sync a mirror\'s objects before its first enqueue'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "once" -d 'Run one pump cycle'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "watch" -d 'Push what is due, until stopped'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "wake" -d 'Make sure that a live watcher runs'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "enable" -d 'Mark the watcher as wanted after a reboot'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "disable" -d 'Take that mark away'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "status" -d 'What is pending, since when, why, and what happens next'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "retry" -d 'Try failed deliveries again'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "close" -d 'Close a task'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "gc" -d 'Collect what is no longer needed'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "doctor" -d 'Find what is wrong, and what to do'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and not __fish_seen_subcommand_from enqueue baseline once watch wake enable disable status retry close gc doctor write-agent" -f -a "write-agent" -d 'Write a LaunchAgent or a systemd unit'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enqueue" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enqueue" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enqueue" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enqueue" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enqueue" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enqueue" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from baseline" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from baseline" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from baseline" -l mirror -d 'The mirror, a bare repository' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from baseline" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from baseline" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from baseline" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from once" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from once" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from once" -l jobs -d 'How many origins are pushed to at a time' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from once" -l push-timeout -d 'When a push and its whole process tree are killed' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from once" -l fail-on -d 'End with 69 when a delivery failed for good; with `retrying` also with 75 when one is to be tried again' -r -f -a "retrying\t''
failed\t''"
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from once" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from once" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from once" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from once" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -l jobs -d 'How many origins are pushed to at a time' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -l push-timeout -d 'When a push and its whole process tree are killed' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -l metrics -d 'Write figures to this file in the OpenMetrics text format' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -l wait -d 'Wait for the lock when another pump holds it, as a service should'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from watch" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from wake" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from wake" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from wake" -l handshake -d 'How long to wait for a watcher to acknowledge' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from wake" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from wake" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from wake" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enable" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enable" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enable" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enable" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from enable" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from disable" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from disable" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from disable" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from disable" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from disable" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from status" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from status" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from status" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from status" -l task -d 'Only this task' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from status" -l format -d 'How to answer; a table on a terminal and JSON elsewhere unless said' -r -f -a "json\t'One JSON document'
table\t'For a person'"
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from retry" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from retry" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from retry" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from retry" -l task -d 'The task' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from retry" -l turn -d 'Only this turn' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from retry" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from retry" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from retry" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from close" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from close" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from close" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from close" -l task -d 'The task' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from close" -l discard -d 'Remove the task\'s pins, intents and locks'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from close" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from close" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from close" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -l now-unix-millis -d 'Use this time instead of the system\'s clock, in milliseconds since 1970' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -l delivered-after -d 'How long a delivered intent stays after its end' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -l failed-after -d 'How long a failed intent with its pin, or an unused ledger, stays after its end' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -l pins-after -d 'How long the pin of a delivered intent stays after its end' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -l dry-run -d 'Only say what would be removed'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from gc" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from doctor" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from doctor" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from doctor" -l repair -d 'Apply the remedies that lose nothing'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from doctor" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from doctor" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from doctor" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from write-agent" -l host-root -d 'The host root, the absolute path of a private local directory' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from write-agent" -l lock-timeout -d 'How long to wait for a lock' -r
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from write-agent" -l systemd -d 'Write a systemd user unit instead of a LaunchAgent'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from write-agent" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from write-agent" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand outbox; and __fish_seen_subcommand_from write-agent" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand bench" -l dir -d 'An existing folder on the disk to measure [default: the present folder]' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand bench" -l rows -d 'How many entries there are already, one or more numbers; not for ingress [default: 1000,10000,50000,100000; for outbox 1000,10000]' -r
complete -c amiss -n "__fish_amiss_using_subcommand bench" -l samples -d 'How often each operation is measured [default: 30]' -r
complete -c amiss -n "__fish_amiss_using_subcommand bench" -l compare -d 'Add the ratio of every figure to that of an earlier answer' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand bench" -l format -d 'A table on a terminal and JSON elsewhere, unless said' -r -f -a "json\t''
table\t''"
complete -c amiss -n "__fish_amiss_using_subcommand bench" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand bench" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand bench" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c amiss -n "__fish_amiss_using_subcommand schema" -l directory -d 'Write all of them as files NAME.json into this directory instead' -r -F
complete -c amiss -n "__fish_amiss_using_subcommand schema" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand schema" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand schema" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand completions" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand completions" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand completions" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand man" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand man" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand man" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand explain" -l format -d 'Text on a terminal and JSON elsewhere, unless said' -r -f -a "json\t''
text\t''"
complete -c amiss -n "__fish_amiss_using_subcommand explain" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand explain" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand explain" -s h -l help -d 'Print help'
complete -c amiss -n "__fish_amiss_using_subcommand help" -s q -l quiet -d 'Say nothing on standard error but errors: no notes, no progress'
complete -c amiss -n "__fish_amiss_using_subcommand help" -s v -l verbose -d 'Say more on standard error: one line a document, and what an error code means'
complete -c amiss -n "__fish_amiss_using_subcommand help" -s h -l help -d 'Print help'
