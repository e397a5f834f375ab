
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'amiss' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'amiss'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'amiss' {
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('ingress-verify', 'ingress-verify', [CompletionResultType]::ParameterValue, 'Authenticate one raw request and accept its delivery')
            [CompletionResult]::new('ledger', 'ledger', [CompletionResultType]::ParameterValue, 'The delivery record')
            [CompletionResult]::new('refresh', 'refresh', [CompletionResultType]::ParameterValue, 'State what exactly is to be judged')
            [CompletionResult]::new('run-bootstrap', 'run-bootstrap', [CompletionResultType]::ParameterValue, 'Run the evaluation under supervision')
            [CompletionResult]::new('publish', 'publish', [CompletionResultType]::ParameterValue, 'Hand the frozen verdict to the operator''s program')
            [CompletionResult]::new('seal-key', 'seal-key', [CompletionResultType]::ParameterValue, 'Make a seal key')
            [CompletionResult]::new('ingress-sign', 'ingress-sign', [CompletionResultType]::ParameterValue, 'Make a signed request, for testing a receiver')
            [CompletionResult]::new('outbox', 'outbox', [CompletionResultType]::ParameterValue, 'Push results to their origin from a durable outbox')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Measure this disk')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schemas')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print shell completions')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the man pages')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Say what an error code means and what to do')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print the help of a command, or the exit statuses')
            break
        }
        'amiss;ingress-verify' {
            [CompletionResult]::new('--route', '--route', [CompletionResultType]::ParameterName, 'The operator''s route: who may send, how it is proved, what it is for')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Take the replay window of this record root; a route that names another is refused')
            [CompletionResult]::new('--seal-key', '--seal-key', [CompletionResultType]::ParameterName, 'Seal the delivery with this key, so that no later stage can change it')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--cgi', '--cgi', [CompletionResultType]::ParameterName, 'Read a CGI/1.1 request: headers from the environment, the body from standard input')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say what was looked for and what was found: headers, key windows, clocks; no secret')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger' {
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Prepare a record root, or validate, migrate, settle and clean one')
            [CompletionResult]::new('claim', 'claim', [CompletionResultType]::ParameterValue, 'Claim a delivery: who may evaluate it now, or what a retry publishes')
            [CompletionResult]::new('renew', 'renew', [CompletionResultType]::ParameterValue, 'Renew a lease')
            [CompletionResult]::new('stage', 'stage', [CompletionResultType]::ParameterValue, 'Freeze the verdict of a run')
            [CompletionResult]::new('complete', 'complete', [CompletionResultType]::ParameterValue, 'End a delivery with the exact value that was published')
            [CompletionResult]::new('cleanup', 'cleanup', [CompletionResultType]::ParameterValue, 'Remove what is safe to forget')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show one row, and what each command would answer now')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the rows')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Validate everything and report every defect, read-only')
            [CompletionResult]::new('stats', 'stats', [CompletionResultType]::ParameterValue, 'Counts, capacity, bytes, clock and age')
            [CompletionResult]::new('quarantine', 'quarantine', [CompletionResultType]::ParameterValue, 'Move a damaged or unknown file out of a root')
            [CompletionResult]::new('abandon', 'abandon', [CompletionResultType]::ParameterValue, 'End a running or staged row by hand')
            [CompletionResult]::new('resize', 'resize', [CompletionResultType]::ParameterValue, 'Change the cap of a root')
            [CompletionResult]::new('retune', 'retune', [CompletionResultType]::ParameterValue, 'Change the lease and the windows of a root')
            break
        }
        'amiss;ledger;init' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--lease-ms', '--lease-ms', [CompletionResultType]::ParameterName, 'How long a lease runs, in milliseconds, at most 24 h')
            [CompletionResult]::new('--max-records', '--max-records', [CompletionResultType]::ParameterName, 'How many rows there may be, at most 10,000,000')
            [CompletionResult]::new('--max-signed-age-ms', '--max-signed-age-ms', [CompletionResultType]::ParameterName, 'The largest signed age of a request, in milliseconds, at most 30 days')
            [CompletionResult]::new('--max-queue-age-ms', '--max-queue-age-ms', [CompletionResultType]::ParameterName, 'The longest queue time of a request, in milliseconds, at most 30 days')
            [CompletionResult]::new('--accept-clock', '--accept-clock', [CompletionResultType]::ParameterName, 'Take the present clock on purpose, in either direction')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;claim' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--seal-key', '--seal-key', [CompletionResultType]::ParameterName, 'Refuse a delivery whose seal by this key is missing or wrong')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'The plan that the delivery is claimed for; its digests are bound into the row')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'The binding itself, for a row whose plan is not at hand')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;renew' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--seal-key', '--seal-key', [CompletionResultType]::ParameterName, 'Refuse a delivery whose seal by this key is missing or wrong')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;stage' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--seal-key', '--seal-key', [CompletionResultType]::ParameterName, 'Refuse a delivery whose seal by this key is missing or wrong')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;complete' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--seal-key', '--seal-key', [CompletionResultType]::ParameterName, 'Refuse a delivery whose seal by this key is missing or wrong')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;cleanup' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--scratch', '--scratch', [CompletionResultType]::ParameterName, 'Remove the scratch directories of dead runs in this folder too')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Report the same counts and change nothing')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;show' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The row''s key; without it and without an identity, envelopes are read from standard input')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The kind of forge of the delivery')
            [CompletionResult]::new('--instance', '--instance', [CompletionResultType]::ParameterName, 'The forge''s installation')
            [CompletionResult]::new('--integration', '--integration', [CompletionResultType]::ParameterName, 'The integration there')
            [CompletionResult]::new('--delivery', '--delivery', [CompletionResultType]::ParameterName, 'The delivery''s replay identity')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;list' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'A table on a terminal and JSON elsewhere, unless said here')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'Only rows in this state')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Only rows of this kind of forge')
            [CompletionResult]::new('--expired', '--expired', [CompletionResultType]::ParameterName, 'Only done rows past their end')
            [CompletionResult]::new('--stuck', '--stuck', [CompletionResultType]::ParameterName, 'Only bounded rows past their end that never finished')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'amiss;ledger;check' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;stats' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'A table on a terminal and JSON elsewhere, unless said here')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'amiss;ledger;quarantine' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Where to; an existing folder outside the root, on the same filesystem')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;abandon' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The row''s key')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why; it goes into the digest that the row keeps')
            [CompletionResult]::new('--staged', '--staged', [CompletionResultType]::ParameterName, 'End a staged row too; its saved result is then never published')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;resize' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--max-records', '--max-records', [CompletionResultType]::ParameterName, 'The new cap, up, or down to no less than the rows')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ledger;retune' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--expect-lease-ms', '--expect-lease-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s lease is another, in milliseconds')
            [CompletionResult]::new('--expect-max-records', '--expect-max-records', [CompletionResultType]::ParameterName, 'Fail where the root''s cap is another')
            [CompletionResult]::new('--expect-max-signed-age-ms', '--expect-max-signed-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s largest signed age is another, in milliseconds')
            [CompletionResult]::new('--expect-max-queue-age-ms', '--expect-max-queue-age-ms', [CompletionResultType]::ParameterName, 'Fail where the root''s longest queue time is another, in milliseconds')
            [CompletionResult]::new('--lease-ms', '--lease-ms', [CompletionResultType]::ParameterName, 'How long a lease runs, in milliseconds, at most 24 h')
            [CompletionResult]::new('--max-signed-age-ms', '--max-signed-age-ms', [CompletionResultType]::ParameterName, 'The largest signed age of a request, in milliseconds, at most 30 days')
            [CompletionResult]::new('--max-queue-age-ms', '--max-queue-age-ms', [CompletionResultType]::ParameterName, 'The longest queue time of a request, in milliseconds, at most 30 days')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;refresh' {
            [CompletionResult]::new('--repository', '--repository', [CompletionResultType]::ParameterName, 'A clone or mirror of the repository, kept up to date by you')
            [CompletionResult]::new('--target', '--target', [CompletionResultType]::ParameterName, 'The ref to be merged into, in full')
            [CompletionResult]::new('--candidate', '--candidate', [CompletionResultType]::ParameterName, 'The ref under which the candidate lives in that repository, in full')
            [CompletionResult]::new('--forge', '--forge', [CompletionResultType]::ParameterName, 'The forge''s URL dialect, where the provider namespace does not say it')
            [CompletionResult]::new('--seal-key', '--seal-key', [CompletionResultType]::ParameterName, 'Refuse a delivery whose seal by this key is missing or wrong')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;run-bootstrap' {
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'The record root, a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock of the record')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'The plan that the delivery was claimed with')
            [CompletionResult]::new('--repository', '--repository', [CompletionResultType]::ParameterName, 'The judged repository')
            [CompletionResult]::new('--action-repository', '--action-repository', [CompletionResultType]::ParameterName, 'The action''s repository')
            [CompletionResult]::new('--scratch', '--scratch', [CompletionResultType]::ParameterName, 'Where the run''s private directory is made, on a filesystem that allows execution')
            [CompletionResult]::new('--report-dir', '--report-dir', [CompletionResultType]::ParameterName, 'Where reports are kept under their digest; the scratch directory without this')
            [CompletionResult]::new('--semantic', '--semantic', [CompletionResultType]::ParameterName, 'The file of a template that the plan names; once for each')
            [CompletionResult]::new('--pass-env', '--pass-env', [CompletionResultType]::ParameterName, 'Hand this variable on to the bootstrap, which has no others; repeatable')
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'Add the bootstrap''s standard error to this file, 64 KiB of its head and of its tail')
            [CompletionResult]::new('--limit-memory', '--limit-memory', [CompletionResultType]::ParameterName, 'Memory: of the whole tree where the host can, else of each process''s data; 512MiB for example')
            [CompletionResult]::new('--limit-processes', '--limit-processes', [CompletionResultType]::ParameterName, 'Processes of the whole tree; an error where the host cannot')
            [CompletionResult]::new('--limit-file-size', '--limit-file-size', [CompletionResultType]::ParameterName, 'The size of each file that is written')
            [CompletionResult]::new('--limit-open-files', '--limit-open-files', [CompletionResultType]::ParameterName, 'Open files of each process')
            [CompletionResult]::new('--nice', '--nice', [CompletionResultType]::ParameterName, 'Niceness, 0 to 19')
            [CompletionResult]::new('--seal-key', '--seal-key', [CompletionResultType]::ParameterName, 'Refuse a delivery whose seal by this key is missing or wrong')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--max-clock-step', '--max-clock-step', [CompletionResultType]::ParameterName, 'Refuse a clock that is further ahead of the root''s last known time')
            [CompletionResult]::new('--without-cgroup', '--without-cgroup', [CompletionResultType]::ParameterName, 'Use no cgroup, even where one could be made; the child subreaper holds the tree alone')
            [CompletionResult]::new('--doctor', '--doctor', [CompletionResultType]::ParameterName, 'Say what this host can do, and run nothing')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;publish' {
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'When the program''s whole process tree is killed')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--seal-key', '--seal-key', [CompletionResultType]::ParameterName, 'Refuse a delivery whose seal by this key is missing or wrong')
            [CompletionResult]::new('--without-cgroup', '--without-cgroup', [CompletionResultType]::ParameterName, 'Use no cgroup, even where one could be made; the child subreaper holds the tree alone')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;seal-key' {
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;ingress-sign' {
            [CompletionResult]::new('--route', '--route', [CompletionResultType]::ParameterName, 'The receiver''s route; its keyring signs')
            [CompletionResult]::new('--anchor', '--anchor', [CompletionResultType]::ParameterName, 'Sign with this key instead of the newest active one')
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'The message id of a gitlab-webhook request')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--form', '--form', [CompletionResultType]::ParameterName, 'Send the body as the field `payload` of a form')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox' {
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('enqueue', 'enqueue', [CompletionResultType]::ParameterValue, 'Record a push durably, with its pin')
            [CompletionResult]::new('baseline', 'baseline', [CompletionResultType]::ParameterValue, 'Sync a mirror''s objects before its first enqueue')
            [CompletionResult]::new('once', 'once', [CompletionResultType]::ParameterValue, 'Run one pump cycle')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Push what is due, until stopped')
            [CompletionResult]::new('wake', 'wake', [CompletionResultType]::ParameterValue, 'Make sure that a live watcher runs')
            [CompletionResult]::new('enable', 'enable', [CompletionResultType]::ParameterValue, 'Mark the watcher as wanted after a reboot')
            [CompletionResult]::new('disable', 'disable', [CompletionResultType]::ParameterValue, 'Take that mark away')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'What is pending, since when, why, and what happens next')
            [CompletionResult]::new('retry', 'retry', [CompletionResultType]::ParameterValue, 'Try failed deliveries again')
            [CompletionResult]::new('close', 'close', [CompletionResultType]::ParameterValue, 'Close a task')
            [CompletionResult]::new('gc', 'gc', [CompletionResultType]::ParameterValue, 'Collect what is no longer needed')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Find what is wrong, and what to do')
            [CompletionResult]::new('write-agent', 'write-agent', [CompletionResultType]::ParameterValue, 'Write a LaunchAgent or a systemd unit')
            break
        }
        'amiss;outbox;enqueue' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;baseline' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--mirror', '--mirror', [CompletionResultType]::ParameterName, 'The mirror, a bare repository')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;once' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'How many origins are pushed to at a time')
            [CompletionResult]::new('--push-timeout', '--push-timeout', [CompletionResultType]::ParameterName, 'When a push and its whole process tree are killed')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'End with 69 when a delivery failed for good; with `retrying` also with 75 when one is to be tried again')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;watch' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'How many origins are pushed to at a time')
            [CompletionResult]::new('--push-timeout', '--push-timeout', [CompletionResultType]::ParameterName, 'When a push and its whole process tree are killed')
            [CompletionResult]::new('--metrics', '--metrics', [CompletionResultType]::ParameterName, 'Write figures to this file in the OpenMetrics text format')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait for the lock when another pump holds it, as a service should')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;wake' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--handshake', '--handshake', [CompletionResultType]::ParameterName, 'How long to wait for a watcher to acknowledge')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;enable' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;disable' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;status' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'Only this task')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to answer; a table on a terminal and JSON elsewhere unless said')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'amiss;outbox;retry' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task')
            [CompletionResult]::new('--turn', '--turn', [CompletionResultType]::ParameterName, 'Only this turn')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;close' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task')
            [CompletionResult]::new('--discard', '--discard', [CompletionResultType]::ParameterName, 'Remove the task''s pins, intents and locks')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;gc' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--now-unix-millis', '--now-unix-millis', [CompletionResultType]::ParameterName, 'Use this time instead of the system''s clock, in milliseconds since 1970')
            [CompletionResult]::new('--delivered-after', '--delivered-after', [CompletionResultType]::ParameterName, 'How long a delivered intent stays after its end')
            [CompletionResult]::new('--failed-after', '--failed-after', [CompletionResultType]::ParameterName, 'How long a failed intent with its pin, or an unused ledger, stays after its end')
            [CompletionResult]::new('--pins-after', '--pins-after', [CompletionResultType]::ParameterName, 'How long the pin of a delivered intent stays after its end')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only say what would be removed')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;doctor' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--repair', '--repair', [CompletionResultType]::ParameterName, 'Apply the remedies that lose nothing')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;outbox;write-agent' {
            [CompletionResult]::new('--host-root', '--host-root', [CompletionResultType]::ParameterName, 'The host root, the absolute path of a private local directory')
            [CompletionResult]::new('--lock-timeout', '--lock-timeout', [CompletionResultType]::ParameterName, 'How long to wait for a lock')
            [CompletionResult]::new('--systemd', '--systemd', [CompletionResultType]::ParameterName, 'Write a systemd user unit instead of a LaunchAgent')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;bench' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'An existing folder on the disk to measure [default: the present folder]')
            [CompletionResult]::new('--rows', '--rows', [CompletionResultType]::ParameterName, 'How many entries there are already, one or more numbers; not for ingress [default: 1000,10000,50000,100000; for outbox 1000,10000]')
            [CompletionResult]::new('--samples', '--samples', [CompletionResultType]::ParameterName, 'How often each operation is measured [default: 30]')
            [CompletionResult]::new('--compare', '--compare', [CompletionResultType]::ParameterName, 'Add the ratio of every figure to that of an earlier answer')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'A table on a terminal and JSON elsewhere, unless said')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'amiss;schema' {
            [CompletionResult]::new('--directory', '--directory', [CompletionResultType]::ParameterName, 'Write all of them as files NAME.json into this directory instead')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;completions' {
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;man' {
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;explain' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Text on a terminal and JSON elsewhere, unless said')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'amiss;help' {
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing on standard error but errors: no notes, no progress')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more on standard error: one line a document, and what an error code means')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
