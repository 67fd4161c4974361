# Completion of vc for bash; written by `npm run generate`.
# For this shell: source <(vc completion bash)

# Names of the service that begin like $current, with $2 behind them. They are data, one a line:
# compgen -W would run what stands in them.
_vc_names() {
  local name typed=${current//\\/}
  typed=${typed#[\"\']}
  while IFS= read -r name; do
    [[ -n $name && $name == "$typed"* ]] && COMPREPLY+=("$(printf '%q' "$name$2")")
  done < <(vc __complete "$1" 2>/dev/null)
}

_vc() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local -a given=()
  local i word count words='' options='--help --version' kind='' dashes=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case $word in
    --) dashes=yes; break ;;
    --allow-host|--allow-network|--at|--auto-stop|--base-url|--bind|--bitrate|--button|--clicks|--code|--connection|--cpu|--cwd|--default-project|--delay|--duration|--engine|--env|--firmware|--for|--format|--fps|--gpu|--hold|--image|--jq|--limit|--listen|--log-level|--max-running|--method|--name|--os|--output|--pause|--profile|--project|--quality|--ram|--region|--resolution|--scale|--spares|--ssh-key|--ssh-user|--state|--timeout|--url|-b|-c|-e|-o|-p) ((i++)) ;;
    -*) ;;
    *) given+=("$word") ;;
    esac
  done
  count=${#given[@]}
  COMPREPLY=()
  [[ -n $dashes ]] && return
  case "${given[0]}" in
    '') options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help --version'; words='project computer job connection profile key image login whoami setup doctor serve backup restore demo completion help' ;;
    'project'|'projects') options='--help'; [[ $count -eq 1 ]] && words='create ls get start stop restart rm' ;;
    'computer'|'computers') options='--help'; [[ $count -eq 1 ]] && words='create ls get start stop restart rm history update fork screenshot click move drag scroll type key wait run view exec bash python shell cp forward stream record' ;;
    'job'|'jobs') options='--help'; [[ $count -eq 1 ]] && words='ls get logs end' ;;
    'connection'|'connections') options='--help'; [[ $count -eq 1 ]] && words='add ls rm' ;;
    'profile'|'profiles') options='--help'; [[ $count -eq 1 ]] && words='add use ls get rm' ;;
    'key'|'keys') options='--help'; [[ $count -eq 1 ]] && words='create ls rm' ;;
    'image'|'images') options='--help'; [[ $count -eq 1 ]] && words='build import warm ls rm' ;;
  esac
  case "${given[0]} ${given[1]}" in
    'project create'|'projects create')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'project ls'|'project list'|'projects ls'|'projects list')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'project get'|'project show'|'projects get'|'projects show')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=project
      ;;
    'project start'|'projects start')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=project
      ;;
    'project stop'|'projects stop')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=project
      ;;
    'project restart'|'projects restart')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=project
      ;;
    'project rm'|'project delete'|'project remove'|'projects rm'|'projects delete'|'projects remove')
      options='-y --yes --dry-run -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=project
      ;;
    'computer create'|'computers create')
      options='--os --cpu --ram --gpu --resolution --image --engine --auto-stop --protect --no-wait --timeout -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --os) words='linux windows'; kind=''; options='' ;;
        --cpu) words='2 4 8'; kind=''; options='' ;;
        --ram) words='2 4 8'; kind=''; options='' ;;
        --gpu) words='none T4 A10'; kind=''; options='' ;;
        --resolution) words=''; kind=''; options='' ;;
        --image) words=''; kind=''; options='' ;;
        --engine) words=''; kind=''; options='' ;;
        --auto-stop) words=''; kind=''; options='' ;;
        --timeout) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'computer ls'|'computer list'|'computers ls'|'computers list')
      options='-a --all -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'computer get'|'computer show'|'computers get'|'computers show')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer start'|'computers start')
      options='--no-wait --timeout -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --timeout) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=stopped-computer
      ;;
    'computer stop'|'computers stop')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=running-computer
      ;;
    'computer restart'|'computers restart')
      options='--no-wait --timeout -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --timeout) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=running-computer
      ;;
    'computer rm'|'computer delete'|'computer remove'|'computers rm'|'computers delete'|'computers remove')
      options='-y --yes --dry-run -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=computer
      ;;
    'computer history'|'computers history')
      options='--limit -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --limit) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer update'|'computers update')
      options='--name --auto-stop --protect --unprotect -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --name) words=''; kind=''; options='' ;;
        --auto-stop) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer fork'|'computers fork')
      options='--no-wait -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer screenshot'|'computers screenshot')
      options='-o --output --format --region --scale --quality --cursor --settle -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -o|--output) words=''; kind=file; options='' ;;
        --format) words='png jpeg webp'; kind=''; options='' ;;
        --region) words=''; kind=''; options='' ;;
        --scale) words=''; kind=''; options='' ;;
        --quality) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer click'|'computers click')
      options='-b --button --right --middle --double --clicks --scale --settle --hold -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -b|--button) words='left right middle'; kind=''; options='' ;;
        --clicks) words=''; kind=''; options='' ;;
        --scale) words=''; kind=''; options='' ;;
        --hold) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer move'|'computers move')
      options='--scale --settle -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --scale) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer drag'|'computers drag')
      options='-b --button --duration --scale --settle -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -b|--button) words='left right middle'; kind=''; options='' ;;
        --duration) words=''; kind=''; options='' ;;
        --scale) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer scroll'|'computers scroll')
      options='--at --scale --settle -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --at) words=''; kind=''; options='' ;;
        --scale) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      [[ $count -eq 3 && -n $options ]] && words='up down left right'
      ;;
    'computer type'|'computers type')
      options='--delay --settle -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --delay) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer key'|'computers key')
      options='--hold --settle -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --hold) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer wait'|'computers wait')
      options='--stable --change --for --region --timeout -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --for) words='running stopped'; kind=''; options='' ;;
        --region) words=''; kind=''; options='' ;;
        --timeout) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer run'|'computers run')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      [[ $count -eq 3 && -n $options ]] && kind=file
      ;;
    'computer view'|'computers view')
      options='--view-only --print -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=computer
      ;;
    'computer exec'|'computers exec')
      options='--cwd -e --env -n --no-stdin -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --cwd) words=''; kind=''; options='' ;;
        -e|--env) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer bash'|'computers bash')
      options='--timeout --cwd -e --env --background -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --timeout) words=''; kind=''; options='' ;;
        --cwd) words=''; kind=''; options='' ;;
        -e|--env) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer python'|'computers python')
      options='-c --code --timeout -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -c|--code) words=''; kind=''; options='' ;;
        --timeout) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      [[ $count -eq 3 && -n $options ]] && kind=file
      ;;
    'computer shell'|'computer ssh'|'computers shell'|'computers ssh')
      options='--cwd -e --env -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --cwd) words=''; kind=''; options='' ;;
        -e|--env) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer cp'|'computers cp')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=place
      ;;
    'computer forward'|'computer port-forward'|'computers forward'|'computers port-forward')
      options='--bind -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --bind) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'computer stream'|'computers stream')
      options='--connection --url --fps --bitrate -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --connection) words=''; kind=''; options='' ;;
        --url) words=''; kind=''; options='' ;;
        --fps) words='15 30 60'; kind=''; options='' ;;
        --bitrate) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && words='start status stop'
      [[ $count -eq 3 && -n $options ]] && kind=computer
      ;;
    'computer record'|'computers record')
      options='-o --output --for --fps -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -o|--output) words=''; kind=file; options='' ;;
        --for) words=''; kind=''; options='' ;;
        --fps) words='15 30 60'; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'job ls'|'job list'|'jobs ls'|'jobs list')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'job get'|'job show'|'jobs get'|'jobs show')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'job logs'|'job output'|'jobs logs'|'jobs output')
      options='-f --follow -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'job end'|'job kill'|'job stop'|'jobs end'|'jobs kill'|'jobs stop')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=running-computer
      ;;
    'connection add'|'connection create'|'connections add'|'connections create')
      options='--key-stdin -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'connection ls'|'connection list'|'connections ls'|'connections list')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'connection rm'|'connection delete'|'connection remove'|'connections rm'|'connections delete'|'connections remove')
      options='-y --yes --dry-run -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=connection
      ;;
    'profile add'|'profiles add')
      options='--default-project --from-env --use -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --default-project) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'profile use'|'profiles use')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && kind=profile
      ;;
    'profile ls'|'profile list'|'profiles ls'|'profiles list')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'profile get'|'profile show'|'profiles get'|'profiles show')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'profile rm'|'profile delete'|'profile remove'|'profiles rm'|'profiles delete'|'profiles remove')
      options='-y --yes --dry-run -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=profile
      ;;
    'key create'|'keys create')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'key ls'|'key list'|'keys ls'|'keys list')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'key rm'|'key delete'|'key remove'|'keys rm'|'keys delete'|'keys remove')
      options='-y --yes --dry-run -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -ge 2 && -n $options ]] && kind=key
      ;;
    'image build'|'images build')
      options='--engine --method --if-missing -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --engine) words='auto docker qemu'; kind=''; options='' ;;
        --method) words='mmdebstrap dockerfile'; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 2 && -n $options ]] && words='linux windows'
      ;;
    'image import'|'images import')
      options='--os --ssh-user --ssh-key --no-shell --firmware -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --os) words='linux windows'; kind=''; options='' ;;
        --ssh-user) words=''; kind=''; options='' ;;
        --ssh-key) words=''; kind=file; options='' ;;
        --firmware) words='uefi bios'; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 3 && -n $options ]] && kind=file
      ;;
    'image warm'|'images warm')
      options='--ram --cpu --resolution -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --ram) words='2 4 8'; kind=''; options='' ;;
        --cpu) words='2 4 8'; kind=''; options='' ;;
        --resolution) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'image ls'|'image list'|'images ls'|'images list')
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'image rm'|'image delete'|'image remove'|'images rm'|'images delete'|'images remove')
      options='--engine -y --yes --dry-run -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --engine) words='docker qemu'; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'login '*)
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'whoami '*)
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'setup '*)
      options='--engine -y --yes --packages-only --dry-run -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --engine) words='auto docker qemu'; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'doctor '*)
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'serve '*)
      options='--listen --expose --allow-host --engine --state --max-running --spares --allow-sudo --allow-network --no-internet --metrics --allow-private-rtmp --log-level -d --detach -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --listen) words=''; kind=''; options='' ;;
        --allow-host) words=''; kind=''; options='' ;;
        --engine) words='auto docker qemu'; kind=''; options='' ;;
        --state) words=''; kind=file; options='' ;;
        --max-running) words=''; kind=''; options='' ;;
        --spares) words=''; kind=''; options='' ;;
        --allow-network) words=''; kind=''; options='' ;;
        --log-level) words='trace debug info warn error fatal silent'; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'backup '*)
      options='--state -f --force -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --state) words=''; kind=file; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 1 && -n $options ]] && kind=file
      ;;
    'restore '*)
      options='--state --replace -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --state) words=''; kind=file; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 1 && -n $options ]] && kind=file
      ;;
    'demo '*)
      options='--keep --pause -p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        --pause) words=''; kind=''; options='' ;;
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      ;;
    'completion '*)
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
        --profile) words=''; kind=''; options='' ;;
        --base-url) words=''; kind=''; options='' ;;
      *)
        :
        ;;
      esac
      [[ $count -eq 1 && -n $options ]] && words='bash zsh fish'
      ;;
    'help '*)
      options='-p --project --json --jq -q --quiet --profile --base-url --no-color --help'
      case $previous in
        -p|--project) words=''; kind=''; options='' ;;
        --jq) words=''; kind=''; options='' ;;
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
  elif [[ $kind == place ]]; then
    # What follows the colon, for bash a word of its own, is a path in the computer.
    [[ $current == : || $previous == : ]] && return
    while IFS= read -r word; do
      COMPREPLY+=("$(printf '%q' "$word")")
    done < <(compgen -f -- "$current")
    _vc_names running-computer :
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace
    return
  elif [[ -n $kind ]]; then
    _vc_names "$kind"
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -F _vc vc
