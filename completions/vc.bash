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
  words=("${words[@]//\\/}")
  words=("${words[@]#[\"\']}")
  mapfile -t lines < <(vc __complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  ((${#lines[@]})) || return

  # Readline replaces what follows the last ":" or "=" only.
  local value typed=${words[-1]} last=${COMP_WORDS[COMP_CWORD]//\\/} directives=${lines[-1]}
  [[ $last == [:=] ]] && last=''
  local prefix=$((${#typed} - ${#last}))
  [[ $last == [\"\']* ]] && prefix=0
  for value in "${lines[@]:0:${#lines[@]}-1}"; do
    value=${value%%$'\t'*}
    [[ $value == "$typed"* ]] && COMPREPLY+=("$(printf '%q' "${value:prefix}")")
  done
  if [[ $directives == *files* ]]; then
    while IFS= read -r value; do
      COMPREPLY+=("$(printf '%q' "$value")")
    done < <(compgen -f -- "$last")
  fi
  [[ $directives == *nospace* && ${COMPREPLY[*]} == *[:/] ]] && compopt -o nospace
}

complete -F _vc vc
