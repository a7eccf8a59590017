# Completion of stoa for fish. `stoa __complete` says which words may stand at the cursor, and fish quotes them.
# Nothing of the line and no name of a file is evaluated.

function __stoa_complete
    set -l before (commandline -opc)
    set -l all (commandline -op)
    set -l typed (commandline -ct)
    set -l next (math (count $before) + 1)
    test -z "$typed"; or set next (math $next + 1)
    set -l current $typed
    switch $typed
        case '"*' "'*"
            set current (string sub -s 2 -- $typed)
        case '*'
            set current (string unescape -- $typed; or echo $typed)
    end
    set -l behind
    test $next -gt (count $all); or set behind $all[$next..-1]
    set -l takes_files
    for line in (command stoa __complete (math (count $before) - 1) $before[2..-1] "$current" $behind 2>/dev/null)
        switch $line
            case \t'*'
                string match -q '*files*' -- $line; and set takes_files yes
            case '*'
                printf '%s\n' $line
        end
    end
    test -z "$takes_files"; or __fish_complete_path $current
end

complete -c stoa -f -k -a '(__stoa_complete)'
