# Completion of stoa for bash. `stoa __complete` says which words may stand at the cursor, and this file
# puts them there. Nothing of the line and no name of a file is evaluated.

# Split the line into words without quotes: `words`, of which number `at` ends at the cursor. `prefix` is what
# this one has before the part that bash replaces, and `quote` the quote that is open there.
_stoa_split() {
    local LC_ALL=C # COMP_POINT counts bytes
    local line=$COMP_LINE word='' state='' c i skips='' begun=''
    local start=$((COMP_POINT - ${#1}))
    words=() at=-1 prefix='' quote=''
    for ((i = 0; i <= ${#line}; i++)); do
        c=${line:i:1}
        if ((i == start)); then
            prefix=$word
        fi
        if ((i == COMP_POINT)); then
            at=${#words[@]} quote=$state
            words+=("$word")
            skips=yes # what the word has behind the cursor
        fi
        case $state$c in
            '') ;;
            [\'\"][\'\"]) # the end of a quote, or the other quote in it
                if [[ $state == "$c" ]]; then state=''; else word+=$c; fi
                ;;
            [\'\"]) begun=yes state=$c ;;
            \"\\)
                case ${line:i+1:1} in
                    [\"\\\$\`]) ((i++)) && c=${line:i:1} ;;
                esac
                word+=$c
                ;;
            [\'\"]*) word+=$c ;;
            \\) begun=yes && ((i++)) && word+=${line:i:1} ;;
            [[:blank:]])
                [[ -n $skips || -z $begun ]] || words+=("$word")
                word='' begun='' skips=''
                ;;
            *) begun=yes word+=$c ;;
        esac
    done
    [[ -n $skips || -z $begun ]] || words+=("$word")
}

# A part of a word as it stands within the open quote.
_stoa_quoted() {
    local text=$1
    case $2 in
        \') printf '%s' "${text//\'/\'\\\'\'}" ;;
        \")
            text=${text//\\/\\\\}
            text=${text//\"/\\\"}
            text=${text//\$/\\\$}
            printf '%s' "${text//\`/\\\`}"
            ;;
        *) printf '%q' "$text" ;;
    esac
}

_stoa() {
    local words at prefix quote line text flags=''
    _stoa_split "$2"
    COMPREPLY=()
    while IFS= read -r line; do
        text=${line%%$'\t'*}
        if [[ -z $text ]]; then
            flags=$line
        elif [[ $text == "$prefix"* && ! ($quote == \" && $text == *!*) ]]; then
            COMPREPLY+=("$(_stoa_quoted "${text#"$prefix"}" "$quote")")
        fi
    done < <(command stoa __complete "$((at - 1))" "${words[@]:1}" 2> /dev/null)
    [[ $flags != *nospace* ]] || compopt -o nospace
    if [[ $flags == *files* ]]; then
        if ((${#COMPREPLY[@]} == 0)); then
            compopt -o bashdefault -o default
        else
            compopt -o nospace
            COMPREPLY+=("$(_stoa_quoted "${words[at]#"$prefix"}" "$quote")")
        fi
    fi
}

complete -F _stoa stoa
