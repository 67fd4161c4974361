# Completion of vc for bash; written by `npm run generate`.
# For this shell: source <(vc completion bash)

_vc() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local -a given=()
  local i word count words='' options='--help --version' kind='' dashes=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case $word in
    --) dashes=yes; break ;;
    --allow-host|--allow-network|--at|--auto-stop|--base-url|--button|--clicks|--code|--cpu|--cwd|--default-project|--delay|--duration|--engine|--env|--for|--format|--gpu|--hold|--image|--listen|--log-level|--max-running|--method|--os|--output|--profile|--project|--quality|--ram|--region|--resolution|--scale|--state|--timeout|-b|-c|-e|-o|-p) ((i++)) ;;
    -*) ;;
    *) given+=("$word") ;;
    esac
  done
  count=${#given[@]}
  COMPREPLY=()
  [[ -n $dashes ]] && return
  case "${given[0]}" in
    '') options='-p --project --json -q --quiet --profile --base-url --no-color --help --version'; words='project computer key profile image serve doctor setup completion help' ;;
    'project'|'projects') options='--help'; [[ $count -eq 1 ]] && words='create ls get start stop restart rm' ;;
    'computer'|'computers') options='--help'; [[ $count -eq 1 ]] && words='create ls get start stop restart rm screenshot click move drag scroll type key wait exec bash python' ;;
    'key'|'keys') options='--help'; [[ $count -eq 1 ]] && words='create ls rm' ;;
    'profile'|'profiles') options='--help'; [[ $count -eq 1 ]] && words='add use ls get rm' ;;
    'image'|'images') options='--help'; [[ $count -eq 1 ]] && words='build ls' ;;
  esac
  case "${given[0]} ${given[1]}" in
    'project create'|'projects create')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'project ls'|'project list'|'projects ls'|'projects list')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'project get'|'project show'|'projects get'|'projects show')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=project
      ;;
    'project start'|'projects start')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=project
      ;;
    'project stop'|'projects stop')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=project
      ;;
    'project restart'|'projects restart')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=project
      ;;
    'project rm'|'project delete'|'project remove'|'projects rm'|'projects delete'|'projects remove')
      options='-y --yes -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=project
      ;;
    'computer create'|'computers create')
      options='--os --cpu --ram --gpu --resolution --image --engine --auto-stop --no-wait -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --os) words='linux windows'; kind=''; options='' ;;
        --cpu) words='2 4 8'; kind=''; options='' ;;
        --ram) words='2 4 8'; kind=''; options='' ;;
        --gpu) words='none T4 A10'; kind=''; options='' ;;
        --resolution) words=''; kind=''; options='' ;;
        --image) words=''; kind=''; options='' ;;
        --engine) words=''; kind=''; options='' ;;
        --auto-stop) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'computer ls'|'computer list'|'computers ls'|'computers list')
      options='-a --all -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'computer get'|'computer show'|'computers get'|'computers show')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer start'|'computers start')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=computer
      ;;
    'computer stop'|'computers stop')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=computer
      ;;
    'computer restart'|'computers restart')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=computer
      ;;
    'computer rm'|'computer delete'|'computer remove'|'computers rm'|'computers delete'|'computers remove')
      options='-y --yes -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=computer
      ;;
    'computer screenshot'|'computers screenshot')
      options='-o --output --format --region --scale --quality --cursor -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -o|--output) words=''; kind=file; options='' ;;
        --format) words='png jpeg webp'; kind=''; options='' ;;
        --region) words=''; kind=''; options='' ;;
        --scale) words=''; kind=''; options='' ;;
        --quality) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer click'|'computers click')
      options='-b --button --right --middle --double --clicks --hold -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -b|--button) words='left right middle'; kind=''; options='' ;;
        --clicks) words=''; kind=''; options='' ;;
        --hold) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer move'|'computers move')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer drag'|'computers drag')
      options='-b --button --duration -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -b|--button) words='left right middle'; kind=''; options='' ;;
        --duration) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer scroll'|'computers scroll')
      options='--at -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --at) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      [[ $count -eq 3 && -n $options ]] && words='up down left right'
      ;;
    'computer type'|'computers type')
      options='--delay -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --delay) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer key'|'computers key')
      options='--hold -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --hold) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer wait'|'computers wait')
      options='--stable --change --for --region --timeout -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --for) words='running stopped'; kind=''; options='' ;;
        --region) words=''; kind=''; options='' ;;
        --timeout) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer exec'|'computers exec')
      options='--cwd -e --env -n --no-stdin -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --cwd) words=''; kind=''; options='' ;;
        -e|--env) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer bash'|'computers bash')
      options='--timeout --cwd -e --env --background -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --timeout) words=''; kind=''; options='' ;;
        --cwd) words=''; kind=''; options='' ;;
        -e|--env) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer python'|'computers python')
      options='-c --code --timeout -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -c|--code) words=''; kind=''; options='' ;;
        --timeout) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      [[ $count -eq 3 && -n $options ]] && kind=file
      ;;
    'key create'|'keys create')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'key ls'|'key list'|'keys ls'|'keys list')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'key rm'|'key delete'|'key remove'|'keys rm'|'keys delete'|'keys remove')
      options='-y --yes -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=key
      ;;
    'profile add'|'profiles add')
      options='--default-project --from-env --use -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --default-project) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'profile use'|'profiles use')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=profile
      ;;
    'profile ls'|'profile list'|'profiles ls'|'profiles list')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'profile get'|'profile show'|'profiles get'|'profiles show')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'profile rm'|'profile delete'|'profile remove'|'profiles rm'|'profiles delete'|'profiles remove')
      options='-y --yes -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=profile
      ;;
    'image build'|'images build')
      options='--engine --method --if-missing -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --engine) words='docker'; kind=''; options='' ;;
        --method) words='mmdebstrap dockerfile'; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && words='linux'
      ;;
    'image ls'|'image list'|'images ls'|'images list')
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'serve '*)
      options='--listen --expose --allow-host --engine --state --max-running --allow-sudo --allow-network --no-internet --log-level -d --detach -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --listen) words=''; kind=''; options='' ;;
        --allow-host) words=''; kind=''; options='' ;;
        --engine) words='auto docker'; kind=''; options='' ;;
        --state) words=''; kind=file; options='' ;;
        --max-running) words=''; kind=''; options='' ;;
        --allow-network) words=''; kind=''; options='' ;;
        --log-level) words='trace debug info warn error fatal silent'; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'doctor '*)
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'setup '*)
      options='-y --yes --packages-only --dry-run -p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'completion '*)
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 1 && -n $options ]] && words='bash zsh fish'
      ;;
    'help '*)
      options='-p --project --json -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
  esac
  if [[ $current == -* ]]; then
    words=$options
  elif [[ $kind == file ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
    return
  elif [[ -n $kind ]]; then
    # Names may hold spaces: one a line.
    local IFS=$'\n'
    words=$(vc __complete "$kind" 2>/dev/null)
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ ${#COMPREPLY[@]} -gt 0 ]] && COMPREPLY=($(printf '%q\n' "${COMPREPLY[@]}"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -F _vc vc
