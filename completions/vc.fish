# Completion of vc for fish. To install: vc completion fish > ~/.config/fish/completions/vc.fish
# `vc __complete` decides what to offer.

function __vc_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (vc __complete $words[2..-1] 2>/dev/null)
    set -q lines[1]; or return
    printf '%s\n' $lines[1..-2]
    string match -q '*files*' -- $lines[-1]; and __fish_complete_path (commandline -ct)
end

complete -c vc -f -a '(__vc_complete)'
