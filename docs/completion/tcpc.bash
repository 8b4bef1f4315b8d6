# Completion of tcpc's command line for bash.
_tcpc() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]:-}
    local options='-o -D -arch= -Werror -Werror= -Wno- -Wno-error= -w --error-limit= --proof-limit= --diagnostics= --emit= --dump-after= --color= --no-line -MD -MF -MT --explain= --fix -Wall --version -V --help -h'
    COMPREPLY=()
    case $prev in
    -o | -MF) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && return ;;
    --keep | --write) mapfile -t COMPREPLY < <(compgen -d -- "$cur") && return ;;
    --cxx) mapfile -t COMPREPLY < <(compgen -c -- "$cur") && return ;;
    -MT | -D | -n | --param | --thread | --print | --kernel) return ;;
    esac
    case $cur in
    --emit=*) mapfile -t COMPREPLY < <(compgen -P --emit= -W "cuda header ast plan kernel$([ "$command" != relayout ] || echo ' plan-text')" -- "${cur#*=}") && return ;;
    --view=*) mapfile -t COMPREPLY < <(compgen -P --view= -W 'owners tv inverse layout swizzle banks sectors path flow timeline operand' -- "${cur#*=}") && return ;;
    --format=*) mapfile -t COMPREPLY < <(compgen -P --format= -W 'text svg tikz' -- "${cur#*=}") && return ;;
    --diagnostics=*) mapfile -t COMPREPLY < <(compgen -P --diagnostics= -W 'text json' -- "${cur#*=}") && return ;;
    --as=*) mapfile -t COMPREPLY < <(compgen -P --as= -W 'tcp cute pycute' -- "${cur#*=}") && return ;;
    --color=*) mapfile -t COMPREPLY < <(compgen -P --color= -W 'auto always never' -- "${cur#*=}") && return ;;
    -arch=*) mapfile -t COMPREPLY < <(compgen -P -arch= -W 'sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_107 sm_107a sm_107f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f' -- "${cur#*=}") && return ;;
    -*)
        [ "$command" != draw ] || options+=' --view= --format= --thread --type --values --param --watch'
        [ "$command" != run ] || options+=' --kernel --print --thread --param --time --no-check --json --watch --gpu --host --cxx --keep --write'
        [ "$command" != relayout ] || options+=' --name= --align= --candidate= --explain --run --time --no-check --gpu --host --cxx --keep --write --tune -n --candidates= --seconds= --json'
        [ "$command" != tune ] || options+=' -n --candidates= --seconds= --kernel --param --json --host --cxx --keep'
        [ "$command" != explain ] || options+=' --json --plan --equivalent --diff --param'
        [ "$command" != count ] || options+=' --json --param'
        [ "$command" != eval ] || options='--steps --table --json --as= --list --help'
        [ "$command" != fmt ] || options='-i --check --help'
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        return
        ;;
    esac
    [ "$COMP_CWORD" != 1 ] || mapfile -t COMPREPLY < <(compgen -W 'run relayout tune explain count draw eval fmt' -- "$cur")
    if [ "$command" = draw ] && [ "$COMP_CWORD" = 3 ] && [ -r "${COMP_WORDS[2]}" ]; then
        # names, and labels of copies
        mapfile -t COMPREPLY < <(compgen -W "$(sed -n -e 's/^ *\(tiled_copy\|layout\|tensor\|kernel\|device\)  *\([A-Za-z_0-9]*\).*/\2/p' \
            -e 's/^ *\([A-Za-z_][A-Za-z_0-9]*\) *: *copy .*/\1/p' "${COMP_WORDS[2]}")" -- "$cur")
        return
    fi
    mapfile -O "${#COMPREPLY[@]}" -t COMPREPLY < <(compgen -f -X "!*.$([[ ' '${COMP_WORDS[*]} == *' --diff '* ]] && echo json || echo tcp)" -- "$cur"; compgen -d -S / -- "$cur")
}
complete -o nospace -F _tcpc tcpc
