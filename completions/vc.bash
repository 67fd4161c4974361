# Completion of vc for bash 4 and later. For this shell: source <(vc completion bash)
# `vc __complete` decides what to offer. Its output is data: nothing in it is evaluated.

_vc() {
  local -a words=() lines=()
  local i word joined='' rest=${COMP_LINE:0:COMP_POINT}
  # Bash splits words at ":" and "=". Join those that no space separates, and remove quotes.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    rest=${rest#"$word"}
    if [[ $joined ]]; then words[-1]+=$word; else words+=("$word"); fi
    joined=yes
    [[ $rest == [[:space:]]* ]] && joined=''
    rest=${rest#"${rest%%[![:space:]]*}"}
  done
  local quote=''
  [[ ${words[-1]} == [\"\']* ]] && quote=${words[-1]:0:1}
  words=("${words[@]//\\/}")
  words=("${words[@]#[\"\']}")
  mapfile -t lines < <(vc __complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  ((${#lines[@]})) || return

  # Readline replaces what follows the last ":" or "=" only.
  local value typed=${words[-1]} last=${COMP_WORDS[COMP_CWORD]//\\/} directives=${lines[-1]}
  [[ $last == [:=] ]] && last=''
  last=${last#[\"\']}
  local prefix=$((${#typed} - ${#last}))
  for value in "${lines[@]:0:${#lines[@]}-1}"; do
    value=${value%%$'\t'*}
    [[ $value == "$typed"* ]] && _vc_offer "${value:prefix}"
  done
  if [[ $directives == *files* ]]; then
    while IFS= read -r value; do
      _vc_offer "$value"
    done < <(compgen -f -- "$last")
  fi
  [[ $directives == *nospace* && ${COMPREPLY[*]} == *[:/] ]] && compopt -o nospace
}

# Adds a candidate as the quote requires in which it begins. Readline puts it between the quotes as it is.
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
  # Readline adds the last quote only if there is none.
  [[ $quote && $out == *"$quote" ]] && out+=$quote
  COMPREPLY+=("$out")
}

complete -F _vc vc
