# Completion of vc for bash 4 and later. For this shell: source <(vc completion bash)
# `vc __complete` decides what to offer. Its output is data: nothing in it is evaluated.

_vc() {
  COMPREPLY=()
  local -a words=('') lines=()
  local line=${COMP_LINE:0:COMP_POINT} char i quote='' escaped='' nested='' word=''
  # Readline replaces the line from `start`, which is the last word from `prefix`: what follows a quote
  # that is still open, or else what follows the last ":" or "=", which begins at `base`.
  local start=0 opened=0 prefix=0 base=0
  for ((i = 0; i < ${#line}; i++)); do
    char=${line:i:1}
    if [[ $escaped ]]; then
      # In double quotes, a backslash before another character stays.
      [[ $quote && $char != [\"\\\$\`] ]] && words[-1]+=\\
      words[-1]+=$char escaped=''
    elif [[ $char == \\ && $quote != \' ]]; then
      escaped=yes word=yes
    elif [[ $char == [\$\`] && $quote != \' ]]; then
      [[ $char == \` || ${line:i+1:1} == [\'\(\{\[] ]] && nested=yes
      words[-1]+=$char word=yes
    elif [[ $quote ]]; then
      if [[ $char == "$quote" ]]; then quote=''; else words[-1]+=$char; fi
    elif [[ $char == [\"\'] ]]; then
      quote=$char word=yes opened=$((i + 1)) prefix=${#words[-1]}
    elif [[ $char == [$' \t\n'] ]]; then
      [[ $word ]] && words+=('')
      word='' start=$((i + 1)) base=0
    else
      words[-1]+=$char word=yes
      [[ $COMP_WORDBREAKS == *"$char"* ]] || continue
      start=$((i + 1)) base=${#words[-1]}
      # Readline replaces it, too.
      [[ $char == @ ]] && ((start--, base--))
    fi
  done
  if [[ $quote ]]; then start=$opened; else prefix=$base; fi
  # Quotes in $(…) begin anew, so this one may be closed. Bash-completion, which completes what follows
  # "sudo", has the last of COMP_WORDS in place of what readline replaces.
  [[ $quote && $nested ]] && return
  [[ ${2-} == "${line:start}" || ${2-} == "${COMP_WORDS[COMP_CWORD]}" ]] || return
  mapfile -t lines < <(vc __complete "${words[@]:1}" 2>/dev/null)
  ((${#lines[@]})) || return

  local value typed=${words[-1]} directives=${lines[-1]}
  for value in "${lines[@]:0:${#lines[@]}-1}"; do
    value=${value%%$'\t'*}
    [[ $value == "$typed"* ]] && _vc_offer "${value:prefix}"
  done
  if [[ $directives == *files* ]]; then
    local text=${typed:base} known=$((prefix - base)) home=''
    # Bash expands "~" only without quotes.
    [[ ! $quote && ${line:start} == '~/'* ]] && home='~' known=${#HOME} text=$HOME${text:1}
    while IFS= read -rd '' value; do
      _vc_offer "${value:known}" "$home"
    done < <(_vc_files "$text")
  fi
  value=${COMPREPLY[*]}
  [[ $directives == *nospace* && ${value%"$quote"} == *[:/] ]] && compopt -o nospace
}

# Adds a candidate with the quote that is open, or without quotes, after $2. Readline does not double
# the first and last quote. Without the first one, a command that removes it (insert-completions) would
# leave the name unquoted.
_vc_offer() {
  local i char out=''
  [[ $1 == *[[:cntrl:]]* ]] && return
  for ((i = 0; i < ${#1}; i++)); do
    char=${1:i:1}
    case $quote in
      '') [[ $char == [[:alnum:]_./:=@%+,-] ]] || char=\\$char ;;
      \') [[ $char == \' ]] && char="'\\''" ;;
      *)
        # A backslash before "!" would stay.
        if [[ $char == ! ]]; then char="\"'!'\""; elif [[ $char == [\"\\\$\`] ]]; then char=\\$char; fi
        ;;
    esac
    out+=$char
  done
  COMPREPLY+=("${2-}$quote$out$quote")
}

# Prints the files whose names begin with the text. `compgen -f` would remove quotes from the text and
# expand variables in it. Runs in a process of its own, whose options it may set.
_vc_files() {
  set +f
  unset GLOBIGNORE
  shopt -s nullglob dotglob
  shopt -u failglob
  [[ $(bind -v 2>/dev/null) == *'completion-ignore-case on'* ]] && shopt -s nocaseglob
  local -a files=("$1"*)
  ((${#files[@]})) && printf '%s\0' "${files[@]}"
}

complete -F _vc vc
