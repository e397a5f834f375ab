_amiss() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="amiss"
                ;;
            amiss,bench)
                cmd="amiss__subcmd__bench"
                ;;
            amiss,completions)
                cmd="amiss__subcmd__completions"
                ;;
            amiss,explain)
                cmd="amiss__subcmd__explain"
                ;;
            amiss,help)
                cmd="amiss__subcmd__help"
                ;;
            amiss,ingress-sign)
                cmd="amiss__subcmd__ingress__subcmd__sign"
                ;;
            amiss,ingress-verify)
                cmd="amiss__subcmd__ingress__subcmd__verify"
                ;;
            amiss,ledger)
                cmd="amiss__subcmd__ledger"
                ;;
            amiss,man)
                cmd="amiss__subcmd__man"
                ;;
            amiss,outbox)
                cmd="amiss__subcmd__outbox"
                ;;
            amiss,publish)
                cmd="amiss__subcmd__publish"
                ;;
            amiss,refresh)
                cmd="amiss__subcmd__refresh"
                ;;
            amiss,run-bootstrap)
                cmd="amiss__subcmd__run__subcmd__bootstrap"
                ;;
            amiss,schema)
                cmd="amiss__subcmd__schema"
                ;;
            amiss,seal-key)
                cmd="amiss__subcmd__seal__subcmd__key"
                ;;
            amiss__subcmd__ledger,abandon)
                cmd="amiss__subcmd__ledger__subcmd__abandon"
                ;;
            amiss__subcmd__ledger,check)
                cmd="amiss__subcmd__ledger__subcmd__check"
                ;;
            amiss__subcmd__ledger,claim)
                cmd="amiss__subcmd__ledger__subcmd__claim"
                ;;
            amiss__subcmd__ledger,cleanup)
                cmd="amiss__subcmd__ledger__subcmd__cleanup"
                ;;
            amiss__subcmd__ledger,complete)
                cmd="amiss__subcmd__ledger__subcmd__complete"
                ;;
            amiss__subcmd__ledger,init)
                cmd="amiss__subcmd__ledger__subcmd__init"
                ;;
            amiss__subcmd__ledger,list)
                cmd="amiss__subcmd__ledger__subcmd__list"
                ;;
            amiss__subcmd__ledger,quarantine)
                cmd="amiss__subcmd__ledger__subcmd__quarantine"
                ;;
            amiss__subcmd__ledger,renew)
                cmd="amiss__subcmd__ledger__subcmd__renew"
                ;;
            amiss__subcmd__ledger,resize)
                cmd="amiss__subcmd__ledger__subcmd__resize"
                ;;
            amiss__subcmd__ledger,retune)
                cmd="amiss__subcmd__ledger__subcmd__retune"
                ;;
            amiss__subcmd__ledger,show)
                cmd="amiss__subcmd__ledger__subcmd__show"
                ;;
            amiss__subcmd__ledger,stage)
                cmd="amiss__subcmd__ledger__subcmd__stage"
                ;;
            amiss__subcmd__ledger,stats)
                cmd="amiss__subcmd__ledger__subcmd__stats"
                ;;
            amiss__subcmd__outbox,baseline)
                cmd="amiss__subcmd__outbox__subcmd__baseline"
                ;;
            amiss__subcmd__outbox,close)
                cmd="amiss__subcmd__outbox__subcmd__close"
                ;;
            amiss__subcmd__outbox,disable)
                cmd="amiss__subcmd__outbox__subcmd__disable"
                ;;
            amiss__subcmd__outbox,doctor)
                cmd="amiss__subcmd__outbox__subcmd__doctor"
                ;;
            amiss__subcmd__outbox,enable)
                cmd="amiss__subcmd__outbox__subcmd__enable"
                ;;
            amiss__subcmd__outbox,enqueue)
                cmd="amiss__subcmd__outbox__subcmd__enqueue"
                ;;
            amiss__subcmd__outbox,gc)
                cmd="amiss__subcmd__outbox__subcmd__gc"
                ;;
            amiss__subcmd__outbox,once)
                cmd="amiss__subcmd__outbox__subcmd__once"
                ;;
            amiss__subcmd__outbox,retry)
                cmd="amiss__subcmd__outbox__subcmd__retry"
                ;;
            amiss__subcmd__outbox,status)
                cmd="amiss__subcmd__outbox__subcmd__status"
                ;;
            amiss__subcmd__outbox,wake)
                cmd="amiss__subcmd__outbox__subcmd__wake"
                ;;
            amiss__subcmd__outbox,watch)
                cmd="amiss__subcmd__outbox__subcmd__watch"
                ;;
            amiss__subcmd__outbox,write-agent)
                cmd="amiss__subcmd__outbox__subcmd__write__subcmd__agent"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        amiss)
            opts="-q -v -h -V --quiet --verbose --help --version ingress-verify ledger refresh run-bootstrap publish seal-key ingress-sign outbox bench schema completions man explain help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__bench)
            opts="-q -v -h --dir --rows --samples --compare --format --quiet --verbose --help ledger ingress outbox"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --dir)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rows)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --samples)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --compare)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "json table" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__completions)
            opts="-q -v -h --quiet --verbose --help bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__explain)
            opts="-q -v -h --format --quiet --verbose --help INPUT_MALFORMED INPUT_TOO_LARGE INPUT_INCOMPLETE REPORT_MISMATCH REPORT_TOO_LARGE NOT_FOUND DELIVERY_NOT_FOUND OUTBOX_WORKER_REQUIRED PROVIDER_UNAVAILABLE PUBLISH_FAILED INTERNAL IO BUSY FULL OUTBOX_BUSY TASK_BUSY INTERRUPTED BINDING_CONFLICT LOST DELIVERY_REF_CONFLICT DELIVERY_ALREADY_DELIVERED INGRESS_LIMITS INGRESS_HEADERS INGRESS_UNSIGNED INGRESS_WEAK_ALGORITHM INGRESS_SIGNATURE INGRESS_KEYS INGRESS_TOKEN INGRESS_CLAIMS INGRESS_ROUTE INGRESS_STALE INGRESS_FUTURE INGRESS_PAYLOAD EXPIRED SEAL_INVALID ORIGIN_AUTH_FAILED PROVIDER_REVOKED ROOT_NOT_PREPARED ROOT_UNSAFE ROOT_CONFIGURATION ROOT_CORRUPT CONFIG_INVALID CLOCK ORIGIN_UNREACHABLE ORIGIN_TIMEOUT PUSH_REJECTED NON_FAST_FORWARD DELIVERY_UNREADABLE DELIVERY_PENDING"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --format)
                    COMPREPLY=($(compgen -W "json text" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__help)
            opts="-q -v -h --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ingress__subcmd__sign)
            opts="-q -v -h --route --anchor --form --id --now-unix-millis --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --route)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --anchor)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --id)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ingress__subcmd__verify)
            opts="-q -v -h --route --root --cgi --explain --seal-key --now-unix-millis --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --route)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seal-key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger)
            opts="-q -v -h --quiet --verbose --help init claim renew stage complete cleanup show list check stats quarantine abandon resize retune"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__abandon)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --key --reason --staged --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --reason)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__check)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__claim)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --seal-key --plan --check --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seal-key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --plan)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --check)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__cleanup)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --dry-run --scratch --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scratch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__complete)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --seal-key --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seal-key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__init)
            opts="-q -v -h --root --lock-timeout --now-unix-millis --max-clock-step --lease-ms --max-records --max-signed-age-ms --max-queue-age-ms --accept-clock --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__list)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --format --state --expired --stuck --provider --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "json table" -- "${cur}"))
                    return 0
                    ;;
                --state)
                    COMPREPLY=($(compgen -W "running staged done" -- "${cur}"))
                    return 0
                    ;;
                --provider)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__quarantine)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --to --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__renew)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --seal-key --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seal-key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__resize)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --max-records --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__retune)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --lease-ms --max-signed-age-ms --max-queue-age-ms --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__show)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --key --namespace --instance --integration --delivery --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --instance)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --integration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --delivery)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__stage)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --seal-key --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seal-key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__ledger__subcmd__stats)
            opts="-q -v -h --root --lock-timeout --expect-lease-ms --expect-max-records --expect-max-signed-age-ms --expect-max-queue-age-ms --now-unix-millis --max-clock-step --format --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-lease-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-records)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-signed-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect-max-queue-age-ms)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "json table" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__man)
            opts="-q -v -h --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox)
            opts="-q -v -h --quiet --verbose --help enqueue baseline once watch wake enable disable status retry close gc doctor write-agent"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__baseline)
            opts="-q -v -h --host-root --lock-timeout --mirror --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --mirror)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__close)
            opts="-q -v -h --host-root --lock-timeout --now-unix-millis --task --discard --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --task)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__disable)
            opts="-q -v -h --host-root --lock-timeout --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__doctor)
            opts="-q -v -h --host-root --lock-timeout --repair --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__enable)
            opts="-q -v -h --host-root --lock-timeout --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__enqueue)
            opts="-q -v -h --host-root --lock-timeout --now-unix-millis --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__gc)
            opts="-q -v -h --host-root --lock-timeout --now-unix-millis --dry-run --delivered-after --failed-after --pins-after --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --delivered-after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --failed-after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pins-after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__once)
            opts="-q -v -h --host-root --lock-timeout --jobs --push-timeout --fail-on --now-unix-millis --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --jobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --push-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "retrying failed" -- "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__retry)
            opts="-q -v -h --host-root --lock-timeout --now-unix-millis --task --turn --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --task)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --turn)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__status)
            opts="-q -v -h --host-root --lock-timeout --now-unix-millis --task --format --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --task)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "json table" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__wake)
            opts="-q -v -h --host-root --lock-timeout --handshake --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --handshake)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__watch)
            opts="-q -v -h --host-root --lock-timeout --jobs --push-timeout --wait --metrics --now-unix-millis --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --jobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --push-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --metrics)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__outbox__subcmd__write__subcmd__agent)
            opts="-q -v -h --host-root --lock-timeout --systemd --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --host-root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__publish)
            opts="-q -v -h --timeout --without-cgroup --now-unix-millis --seal-key --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seal-key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__refresh)
            opts="-q -v -h --repository --target --candidate --forge --seal-key --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --repository)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --target)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --candidate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --forge)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seal-key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__run__subcmd__bootstrap)
            opts="-q -v -h --root --lock-timeout --plan --repository --action-repository --scratch --report-dir --semantic --pass-env --log --limit-memory --limit-processes --limit-file-size --limit-open-files --nice --without-cgroup --doctor --seal-key --now-unix-millis --max-clock-step --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --lock-timeout)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --plan)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --repository)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --action-repository)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scratch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --report-dir)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --semantic)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --pass-env)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --log)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-processes)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-file-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --limit-open-files)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --nice)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --seal-key)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --now-unix-millis)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --max-clock-step)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__schema)
            opts="-q -v -h --directory --quiet --verbose --help envelope request delivery lease run outcome staged published push origin-delivery error route keyring plan check constraint evaluation snapshot controls ledger-init ledger-cleanup ledger-show ledger-list ledger-check ledger-stats ledger-resize ledger-retune ledger-quarantine ledger-abandon outbox-baseline outbox-once outbox-wake outbox-status outbox-retry outbox-close outbox-gc outbox-doctor outbox-mark outbox-agent outbox-event bench seal-key run-doctor explain man schema root-frame capacity-frame row-frame outbox-intent outbox-ended outbox-due outbox-target outbox-worker outbox-enabled object-sync"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --directory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        amiss__subcmd__seal__subcmd__key)
            opts="-q -v -h --quiet --verbose --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _amiss -o nosort -o bashdefault -o default amiss
else
    complete -F _amiss -o bashdefault -o default amiss
fi
