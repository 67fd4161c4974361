# Completion of vc for fish; written by `npm run generate`.
# For good: vc completion fish > ~/.config/fish/completions/vc.fish

# The words before the cursor that are no options.
function __vc_words
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case --allow-host --allow-network --at --auto-stop --base-url --bind --bitrate --button --clicks --code --connection --cpu --cwd --default-project --delay --duration --engine --env --firmware --for --format --fps --gpu --hold --image --jq --limit --listen --log-level --max-running --method --name --os --output --pause --profile --project --quality --ram --region --resolution --scale --spares --ssh-key --ssh-user --state --timeout --url -b -c -e -o -p
                set skip 1
            case '-*'
            case '*'
                printf '%s\n' $word
        end
    end
end

# Do the words begin so? Each argument is a name with its aliases: 'rm|delete'.
function __vc_in
    set -l words (__vc_words)
    for i in (seq (count $argv))
        string match -qr "^($argv[$i])\$" -- "$words[$i]"; or return 1
    end
end

# Do the words begin so, and are there so many of them (+N: at least so many)?
function __vc_at
    set -l count (count (__vc_words))
    if string match -q '+*' -- $argv[1]
        test $count -ge (string sub -s 2 -- $argv[1]); or return 1
    else
        test $count -eq $argv[1]; or return 1
    end
    test (count $argv) -eq 1; or __vc_in $argv[2..-1]
end

complete -c vc -f
complete -c vc -n '__vc_at 0' -f -a project -d 'Make and manage projects, which hold computers'
complete -c vc -n '__vc_at 0' -f -a computer -d 'Make, drive and manage computers'
complete -c vc -n '__vc_at 0' -f -a job -d 'Look after commands that run in the background'
complete -c vc -n '__vc_at 0' -f -a connection -d 'Keep the RTMP targets that streams go to'
complete -c vc -n '__vc_at 0' -f -a profile -d 'Say which service to talk to, and with which key'
complete -c vc -n '__vc_at 0' -f -a key -d 'Make and remove API keys'
complete -c vc -n '__vc_at 0' -f -a image -d 'Make and manage machine images on this machine'
complete -c vc -n '__vc_at 0' -f -a login -d 'Keep the key of a service, after trying it'
complete -c vc -n '__vc_at 0' -f -a whoami -d 'Say whose key is in use, and on which service'
complete -c vc -n '__vc_at 0' -f -a setup -d 'Install what this machine needs to host computers'
complete -c vc -n '__vc_at 0' -f -a doctor -d 'Say what is there, what is missing, and what mends it'
complete -c vc -n '__vc_at 0' -f -a serve -d 'Host computers: run the service on this machine'
complete -c vc -n '__vc_at 0' -f -a backup -d 'Write the service\'s state to a file'
complete -c vc -n '__vc_at 0' -f -a restore -d 'Make a backup the state of the service on this machine'
complete -c vc -n '__vc_at 0' -f -a demo -d 'Show in a minute what vc can do'
complete -c vc -n '__vc_at 0' -f -a completion -d 'Print a completion script for a shell'
complete -c vc -n '__vc_at 0' -f -a help -d 'Show the help of a command or a topic'
complete -c vc -s p -l project -x -d 'project that a bare name is in (VC_PROJECT)'
complete -c vc -l json -f -d 'print the answer as JSON, all of it or these fields: --json=id,name'
complete -c vc -l jq -x -d 'print what jq makes of the JSON'
complete -c vc -s q -l quiet -f -d 'print ids only, and no messages'
complete -c vc -l profile -x -d 'profile to use (VC_PROFILE)'
complete -c vc -l base-url -x -d 'address of the service (VC_BASE_URL)'
complete -c vc -l no-color -f -d 'no colours (NO_COLOR)'
complete -c vc -f -s h -l help -d 'show help'
complete -c vc -n '__vc_at 1 \'project|projects\'' -f -a create -d 'Create a project'
complete -c vc -n '__vc_at 1 \'project|projects\'' -f -a ls -d 'List projects'
complete -c vc -n '__vc_at 1 \'project|projects\'' -f -a get -d 'Show a project and its computers'
complete -c vc -n '__vc_at 1 \'project|projects\'' -f -a start -d 'Start every computer of a project'
complete -c vc -n '__vc_at 1 \'project|projects\'' -f -a stop -d 'Stop every computer of a project; disks stay'
complete -c vc -n '__vc_at 1 \'project|projects\'' -f -a restart -d 'Stop and start every computer of a project'
complete -c vc -n '__vc_at 1 \'project|projects\'' -f -a rm -d 'Remove projects with their computers, for good'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a create -d 'Create a computer and start it'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a ls -d 'List computers'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a get -d 'Show a computer'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a start -d 'Start computers'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a stop -d 'Stop computers; their disks stay'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a restart -d 'Stop and start computers'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a rm -d 'Remove computers with their disks, for good'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a history -d 'Show who did what to a computer, the latest first'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a update -d 'Rename or protect a computer, or set when it stops'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a fork -d 'Copy a computer, a running one with its memory'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a screenshot -d 'Take a picture of the screen'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a click -d 'Click with the mouse'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a move -d 'Move the mouse'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a drag -d 'Press the mouse at one point and release it at another'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a scroll -d 'Turn the mouse wheel'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a type -d 'Type a text'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a key -d 'Press keys or combinations, one after the other'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a wait -d 'Wait for a time, for the screen or for a state'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a run -d 'Run a script of actions in one request'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a view -d 'Watch the screen live in a browser, and use it'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a exec -d 'Run a program with its input and output connected'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a bash -d 'Run a shell script and print what it printed'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a python -d 'Run Python 3 code and print what it printed'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a shell -d 'Open a shell in a terminal'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a cp -d 'Copy files and directories to or from a computer'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a forward -d 'Reach ports of a computer from this machine'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a stream -d 'Stream the screen live to an RTMP target'
complete -c vc -n '__vc_at 1 \'computer|computers\'' -f -a record -d 'Film the screen into an MP4 file'
complete -c vc -n '__vc_at 1 \'job|jobs\'' -f -a ls -d 'List the background commands of a computer'
complete -c vc -n '__vc_at 1 \'job|jobs\'' -f -a get -d 'Show a background command'
complete -c vc -n '__vc_at 1 \'job|jobs\'' -f -a logs -d 'Print the output of a background command'
complete -c vc -n '__vc_at 1 \'job|jobs\'' -f -a end -d 'End background commands'
complete -c vc -n '__vc_at 1 \'connection|connections\'' -f -a add -d 'Keep an RTMP target under a name'
complete -c vc -n '__vc_at 1 \'connection|connections\'' -f -a ls -d 'List RTMP targets, without their stream keys'
complete -c vc -n '__vc_at 1 \'connection|connections\'' -f -a rm -d 'Forget RTMP targets and their stream keys'
complete -c vc -n '__vc_at 1 \'profile|profiles\'' -f -a add -d 'Add or replace a profile'
complete -c vc -n '__vc_at 1 \'profile|profiles\'' -f -a use -d 'Make a profile the current one'
complete -c vc -n '__vc_at 1 \'profile|profiles\'' -f -a ls -d 'List profiles, without their keys'
complete -c vc -n '__vc_at 1 \'profile|profiles\'' -f -a get -d 'Show the settings in force and where each comes from'
complete -c vc -n '__vc_at 1 \'profile|profiles\'' -f -a rm -d 'Remove profiles with the keys in them'
complete -c vc -n '__vc_at 1 \'key|keys\'' -f -a create -d 'Create an API key; it is shown once'
complete -c vc -n '__vc_at 1 \'key|keys\'' -f -a ls -d 'List API keys, without the keys themselves'
complete -c vc -n '__vc_at 1 \'key|keys\'' -f -a rm -d 'Remove API keys'
complete -c vc -n '__vc_at 1 \'image|images\'' -f -a build -d 'Build a machine image on this machine'
complete -c vc -n '__vc_at 1 \'image|images\'' -f -a import -d 'Make an image of a disk of your own, for the engine qemu'
complete -c vc -n '__vc_at 1 \'image|images\'' -f -a warm -d 'Keep an image booted, so that computers start at once'
complete -c vc -n '__vc_at 1 \'image|images\'' -f -a ls -d 'List the machine images on this machine'
complete -c vc -n '__vc_at 1 \'image|images\'' -f -a rm -d 'Remove machine images and their templates'
complete -c vc -n '__vc_at 2 \'project|projects\' \'create\'' -f
complete -c vc -n '__vc_at 2 \'project|projects\' \'get|show\'' -f -a '(vc __complete project 2>/dev/null)'
complete -c vc -n '__vc_at 2 \'project|projects\' \'start\'' -f -a '(vc __complete project 2>/dev/null)'
complete -c vc -n '__vc_at 2 \'project|projects\' \'stop\'' -f -a '(vc __complete project 2>/dev/null)'
complete -c vc -n '__vc_at 2 \'project|projects\' \'restart\'' -f -a '(vc __complete project 2>/dev/null)'
complete -c vc -n '__vc_in \'project|projects\' \'rm|delete|remove\'' -s y -l yes -f -d 'do not ask'
complete -c vc -n '__vc_in \'project|projects\' \'rm|delete|remove\'' -l dry-run -f -d 'say what would be removed, and remove nothing'
complete -c vc -n '__vc_at +2 \'project|projects\' \'rm|delete|remove\'' -f -a '(vc __complete project 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l os -x -a 'linux windows' -d 'operating system'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l cpu -x -a '2 4 8' -d 'cores'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l ram -x -a '2 4 8' -d 'memory in GB'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l gpu -x -a 'none T4 A10' -d 'GPU'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l resolution -x -d 'size of the screen in pixels'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l image -x -d 'machine image; see: vc image ls'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l engine -x -d 'engine that runs it'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l auto-stop -x -d 'stop it after so long without a request'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l protect -f -d 'keep it from being removed'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l no-wait -f -d 'do not wait until it is ready'
complete -c vc -n '__vc_in \'computer|computers\' \'create\'' -l timeout -x -d 'give up waiting after so long'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'create\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'ls|list\'' -s a -l all -f -d 'computers of all projects'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'get|show\'' -f -a '(vc __complete computer 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'start\'' -l no-wait -f -d 'do not wait until it is ready'
complete -c vc -n '__vc_in \'computer|computers\' \'start\'' -l timeout -x -d 'give up waiting after so long'
complete -c vc -n '__vc_at +2 \'computer|computers\' \'start\'' -f -a '(vc __complete stopped-computer 2>/dev/null)'
complete -c vc -n '__vc_at +2 \'computer|computers\' \'stop\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'restart\'' -l no-wait -f -d 'do not wait until it is ready'
complete -c vc -n '__vc_in \'computer|computers\' \'restart\'' -l timeout -x -d 'give up waiting after so long'
complete -c vc -n '__vc_at +2 \'computer|computers\' \'restart\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'rm|delete|remove\'' -s y -l yes -f -d 'do not ask'
complete -c vc -n '__vc_in \'computer|computers\' \'rm|delete|remove\'' -l dry-run -f -d 'say what would be removed, and remove nothing'
complete -c vc -n '__vc_at +2 \'computer|computers\' \'rm|delete|remove\'' -f -a '(vc __complete computer 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'history\'' -l limit -x -d 'how many'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'history\'' -f -a '(vc __complete computer 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'update\'' -l name -x -d 'another name'
complete -c vc -n '__vc_in \'computer|computers\' \'update\'' -l auto-stop -x -d 'stop it after so long without a request, or never'
complete -c vc -n '__vc_in \'computer|computers\' \'update\'' -l protect -f -d 'keep it from being removed'
complete -c vc -n '__vc_in \'computer|computers\' \'update\'' -l unprotect -f -d 'let it be removed again'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'update\'' -f -a '(vc __complete computer 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'fork\'' -l no-wait -f -d 'do not wait until the copy is ready'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'fork\'' -f -a '(vc __complete computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'fork\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'screenshot\'' -s o -l output -rF -d 'where to put it; - is stdout'
complete -c vc -n '__vc_in \'computer|computers\' \'screenshot\'' -l format -x -a 'png jpeg webp' -d 'format of the picture'
complete -c vc -n '__vc_in \'computer|computers\' \'screenshot\'' -l region -x -d 'a part of the screen, in pixels'
complete -c vc -n '__vc_in \'computer|computers\' \'screenshot\'' -l scale -x -d 'make it smaller: 0.05 to 1'
complete -c vc -n '__vc_in \'computer|computers\' \'screenshot\'' -l quality -x -d 'of jpeg and webp: 1 to 100'
complete -c vc -n '__vc_in \'computer|computers\' \'screenshot\'' -l cursor -f -d 'draw the mouse pointer in'
complete -c vc -n '__vc_in \'computer|computers\' \'screenshot\'' -l settle -f -d 'wait until the screen has come to rest, at most 2 s'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'screenshot\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'click\'' -s b -l button -x -a 'left right middle' -d 'button to press'
complete -c vc -n '__vc_in \'computer|computers\' \'click\'' -l right -f -d 'the right button'
complete -c vc -n '__vc_in \'computer|computers\' \'click\'' -l middle -f -d 'the middle button'
complete -c vc -n '__vc_in \'computer|computers\' \'click\'' -l double -f -d 'a double click'
complete -c vc -n '__vc_in \'computer|computers\' \'click\'' -l clicks -x -d 'clicks: 1 to 3'
complete -c vc -n '__vc_in \'computer|computers\' \'click\'' -l scale -x -d 'coordinates are those of a screenshot of this scale'
complete -c vc -n '__vc_in \'computer|computers\' \'click\'' -l settle -f -d 'end when the screen has come to rest, at most 2 s'
complete -c vc -n '__vc_in \'computer|computers\' \'click\'' -l hold -x -d 'hold a key meanwhile, for example ctrl; repeatable'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'click\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'click\'' -f
complete -c vc -n '__vc_at 4 \'computer|computers\' \'click\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'move\'' -l scale -x -d 'coordinates are those of a screenshot of this scale'
complete -c vc -n '__vc_in \'computer|computers\' \'move\'' -l settle -f -d 'end when the screen has come to rest, at most 2 s'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'move\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'move\'' -f
complete -c vc -n '__vc_at 4 \'computer|computers\' \'move\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'drag\'' -s b -l button -x -a 'left right middle' -d 'button to hold'
complete -c vc -n '__vc_in \'computer|computers\' \'drag\'' -l duration -x -d 'time from press to release'
complete -c vc -n '__vc_in \'computer|computers\' \'drag\'' -l scale -x -d 'coordinates are those of a screenshot of this scale'
complete -c vc -n '__vc_in \'computer|computers\' \'drag\'' -l settle -f -d 'end when the screen has come to rest, at most 2 s'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'drag\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'drag\'' -f
complete -c vc -n '__vc_at 4 \'computer|computers\' \'drag\'' -f
complete -c vc -n '__vc_at 5 \'computer|computers\' \'drag\'' -f
complete -c vc -n '__vc_at 6 \'computer|computers\' \'drag\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'scroll\'' -l at -x -d 'move the mouse there first'
complete -c vc -n '__vc_in \'computer|computers\' \'scroll\'' -l scale -x -d 'coordinates are those of a screenshot of this scale'
complete -c vc -n '__vc_in \'computer|computers\' \'scroll\'' -l settle -f -d 'end when the screen has come to rest, at most 2 s'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'scroll\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'scroll\'' -f -a 'up down left right'
complete -c vc -n '__vc_at 4 \'computer|computers\' \'scroll\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'type\'' -l delay -x -d 'pause between characters, milliseconds'
complete -c vc -n '__vc_in \'computer|computers\' \'type\'' -l settle -f -d 'end when the screen has come to rest, at most 2 s'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'type\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'type\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'key\'' -l hold -x -d 'hold each down so long, milliseconds'
complete -c vc -n '__vc_in \'computer|computers\' \'key\'' -l settle -f -d 'end when the screen has come to rest, at most 2 s'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'key\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at +3 \'computer|computers\' \'key\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'wait\'' -l stable -f -d 'until the screen no longer changes'
complete -c vc -n '__vc_in \'computer|computers\' \'wait\'' -l change -f -d 'until the screen changes'
complete -c vc -n '__vc_in \'computer|computers\' \'wait\'' -l for -x -a 'running stopped' -d 'until it is so'
complete -c vc -n '__vc_in \'computer|computers\' \'wait\'' -l region -x -d 'look at this part of the screen only'
complete -c vc -n '__vc_in \'computer|computers\' \'wait\'' -l timeout -x -d 'give up after so long'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'wait\'' -f -a '(vc __complete computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'wait\'' -f
complete -c vc -n '__vc_at 2 \'computer|computers\' \'run\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'run\'' -F
complete -c vc -n '__vc_in \'computer|computers\' \'view\'' -l view-only -f -d 'show the screen, and take no mouse or keyboard'
complete -c vc -n '__vc_in \'computer|computers\' \'view\'' -l print -f -d 'print the link instead of opening a browser'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'view\'' -f -a '(vc __complete computer 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'exec\'' -l cwd -x -d 'directory to run in'
complete -c vc -n '__vc_in \'computer|computers\' \'exec\'' -s e -l env -x -d 'environment variable; repeatable'
complete -c vc -n '__vc_in \'computer|computers\' \'exec\'' -s n -l no-stdin -f -d 'give it no input'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'exec\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at +3 \'computer|computers\' \'exec\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'bash\'' -l timeout -x -d 'end it after so long'
complete -c vc -n '__vc_in \'computer|computers\' \'bash\'' -l cwd -x -d 'directory to run in'
complete -c vc -n '__vc_in \'computer|computers\' \'bash\'' -s e -l env -x -d 'environment variable; repeatable'
complete -c vc -n '__vc_in \'computer|computers\' \'bash\'' -l background -f -d 'print its job id and leave it running'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'bash\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'bash\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'python\'' -s c -l code -x -d 'code to run instead of a file'
complete -c vc -n '__vc_in \'computer|computers\' \'python\'' -l timeout -x -d 'end it after so long: 1 to 300'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'python\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'python\'' -F
complete -c vc -n '__vc_in \'computer|computers\' \'shell|ssh\'' -l cwd -x -d 'directory to begin in'
complete -c vc -n '__vc_in \'computer|computers\' \'shell|ssh\'' -s e -l env -x -d 'environment variable; repeatable'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'shell|ssh\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at +2 \'computer|computers\' \'cp\'' -F -a '(vc __complete running-computer 2>/dev/null | string replace -r \'$\' :)'
complete -c vc -n '__vc_in \'computer|computers\' \'forward|port-forward\'' -l bind -x -d 'listen here instead; others may then connect'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'forward|port-forward\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at +3 \'computer|computers\' \'forward|port-forward\'' -f
complete -c vc -n '__vc_in \'computer|computers\' \'stream\'' -l connection -x -d 'target to stream to; see: vc connection'
complete -c vc -n '__vc_in \'computer|computers\' \'stream\'' -l url -x -d 'the same by its URL; others can see it in the process list'
complete -c vc -n '__vc_in \'computer|computers\' \'stream\'' -l fps -x -a '15 30 60' -d 'frames a second'
complete -c vc -n '__vc_in \'computer|computers\' \'stream\'' -l bitrate -x -d 'kilobits a second'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'stream\'' -f -a 'start status stop'
complete -c vc -n '__vc_at 3 \'computer|computers\' \'stream\'' -f -a '(vc __complete computer 2>/dev/null)'
complete -c vc -n '__vc_in \'computer|computers\' \'record\'' -s o -l output -rF -d 'where to put it; - is stdout'
complete -c vc -n '__vc_in \'computer|computers\' \'record\'' -l for -x -d 'end after so long, such as 10s or 2m'
complete -c vc -n '__vc_in \'computer|computers\' \'record\'' -l fps -x -a '15 30 60' -d 'frames a second'
complete -c vc -n '__vc_at 2 \'computer|computers\' \'record\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 2 \'job|jobs\' \'ls|list\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 2 \'job|jobs\' \'get|show\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'job|jobs\' \'get|show\'' -f
complete -c vc -n '__vc_in \'job|jobs\' \'logs|output\'' -s f -l follow -f -d 'go on as it prints, until it ends'
complete -c vc -n '__vc_at 2 \'job|jobs\' \'logs|output\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at 3 \'job|jobs\' \'logs|output\'' -f
complete -c vc -n '__vc_at 2 \'job|jobs\' \'end|kill|stop\'' -f -a '(vc __complete running-computer 2>/dev/null)'
complete -c vc -n '__vc_at +3 \'job|jobs\' \'end|kill|stop\'' -f
complete -c vc -n '__vc_in \'connection|connections\' \'add|create\'' -l key-stdin -f -d 'read the stream key from stdin'
complete -c vc -n '__vc_at 2 \'connection|connections\' \'add|create\'' -f
complete -c vc -n '__vc_at 3 \'connection|connections\' \'add|create\'' -f
complete -c vc -n '__vc_in \'connection|connections\' \'rm|delete|remove\'' -s y -l yes -f -d 'do not ask'
complete -c vc -n '__vc_in \'connection|connections\' \'rm|delete|remove\'' -l dry-run -f -d 'say what would be removed, and remove nothing'
complete -c vc -n '__vc_at +2 \'connection|connections\' \'rm|delete|remove\'' -f -a '(vc __complete connection 2>/dev/null)'
complete -c vc -n '__vc_in \'profile|profiles\' \'add\'' -l default-project -x -d 'project of bare names'
complete -c vc -n '__vc_in \'profile|profiles\' \'add\'' -l from-env -f -d 'take the key from VC_API_KEY'
complete -c vc -n '__vc_in \'profile|profiles\' \'add\'' -l use -f -d 'make it the current profile'
complete -c vc -n '__vc_at 2 \'profile|profiles\' \'add\'' -f
complete -c vc -n '__vc_at 2 \'profile|profiles\' \'use\'' -f -a '(vc __complete profile 2>/dev/null)'
complete -c vc -n '__vc_in \'profile|profiles\' \'rm|delete|remove\'' -s y -l yes -f -d 'do not ask'
complete -c vc -n '__vc_in \'profile|profiles\' \'rm|delete|remove\'' -l dry-run -f -d 'say what would be removed, and remove nothing'
complete -c vc -n '__vc_at +2 \'profile|profiles\' \'rm|delete|remove\'' -f -a '(vc __complete profile 2>/dev/null)'
complete -c vc -n '__vc_at 2 \'key|keys\' \'create\'' -f
complete -c vc -n '__vc_in \'key|keys\' \'rm|delete|remove\'' -s y -l yes -f -d 'do not ask'
complete -c vc -n '__vc_in \'key|keys\' \'rm|delete|remove\'' -l dry-run -f -d 'say what would be removed, and remove nothing'
complete -c vc -n '__vc_at +2 \'key|keys\' \'rm|delete|remove\'' -f -a '(vc __complete key 2>/dev/null)'
complete -c vc -n '__vc_in \'image|images\' \'build\'' -l engine -x -a 'auto docker qemu' -d 'engine that it is for'
complete -c vc -n '__vc_in \'image|images\' \'build\'' -l method -x -a 'mmdebstrap dockerfile' -d 'how it is built'
complete -c vc -n '__vc_in \'image|images\' \'build\'' -l if-missing -f -d 'do nothing when it is there and up to date'
complete -c vc -n '__vc_at 2 \'image|images\' \'build\'' -f -a 'linux windows'
complete -c vc -n '__vc_in \'image|images\' \'import\'' -l os -x -a 'linux windows' -d 'system on it'
complete -c vc -n '__vc_in \'image|images\' \'import\'' -l ssh-user -x -d 'user that commands run as'
complete -c vc -n '__vc_in \'image|images\' \'import\'' -l ssh-key -rF -d 'private key that lets the user in'
complete -c vc -n '__vc_in \'image|images\' \'import\'' -l no-shell -f -d 'it has no SSH server'
complete -c vc -n '__vc_in \'image|images\' \'import\'' -l firmware -x -a 'uefi bios' -d 'how it boots'
complete -c vc -n '__vc_at 2 \'image|images\' \'import\'' -f
complete -c vc -n '__vc_at 3 \'image|images\' \'import\'' -F
complete -c vc -n '__vc_in \'image|images\' \'warm\'' -l ram -x -a '2 4 8' -d 'memory in GB'
complete -c vc -n '__vc_in \'image|images\' \'warm\'' -l cpu -x -a '2 4 8' -d 'cores'
complete -c vc -n '__vc_in \'image|images\' \'warm\'' -l resolution -x -d 'size of the screen in pixels'
complete -c vc -n '__vc_at 2 \'image|images\' \'warm\'' -f
complete -c vc -n '__vc_in \'image|images\' \'rm|delete|remove\'' -l engine -x -a 'docker qemu' -d 'engine to remove them from'
complete -c vc -n '__vc_in \'image|images\' \'rm|delete|remove\'' -s y -l yes -f -d 'do not ask'
complete -c vc -n '__vc_in \'image|images\' \'rm|delete|remove\'' -l dry-run -f -d 'say what would be removed, and remove nothing'
complete -c vc -n '__vc_at +2 \'image|images\' \'rm|delete|remove\'' -f
complete -c vc -n '__vc_in \'setup\'' -l engine -x -a 'auto docker qemu' -d 'engine to set up'
complete -c vc -n '__vc_in \'setup\'' -s y -l yes -f -d 'do not ask'
complete -c vc -n '__vc_in \'setup\'' -l packages-only -f -d 'install packages and leave everything else'
complete -c vc -n '__vc_in \'setup\'' -l dry-run -f -d 'say what would be done, and do nothing'
complete -c vc -n '__vc_in \'serve\'' -l listen -x -d 'address to listen on'
complete -c vc -n '__vc_in \'serve\'' -l expose -f -d 'allow --listen to be reached from other machines'
complete -c vc -n '__vc_in \'serve\'' -l allow-host -x -d 'name that clients reach it by; repeatable'
complete -c vc -n '__vc_in \'serve\'' -l engine -x -a 'auto docker qemu' -d 'what runs new computers'
complete -c vc -n '__vc_in \'serve\'' -l state -rF -d 'where its state is kept'
complete -c vc -n '__vc_in \'serve\'' -l max-running -x -d 'computers that one owner may run at once'
complete -c vc -n '__vc_in \'serve\'' -l spares -x -d 'virtual machines kept ready, so that one like the last is there at once'
complete -c vc -n '__vc_in \'serve\'' -l allow-sudo -f -d 'let computers in containers use sudo inside'
complete -c vc -n '__vc_in \'serve\'' -l allow-network -x -d 'private network they may reach; repeatable'
complete -c vc -n '__vc_in \'serve\'' -l no-internet -f -d 'keep them off the public internet'
complete -c vc -n '__vc_in \'serve\'' -l metrics -f -d 'tell every key how much is done, at /metrics (VC_METRICS=1)'
complete -c vc -n '__vc_in \'serve\'' -l allow-private-rtmp -f -d 'let streams go to loopback and private addresses; or VC_ALLOW_PRIVATE_RTMP=1'
complete -c vc -n '__vc_in \'serve\'' -l log-level -x -a 'trace debug info warn error fatal silent' -d 'how much is logged'
complete -c vc -n '__vc_in \'serve\'' -s d -l detach -f -d 'run in the background; log to serve.log in the state directory'
complete -c vc -n '__vc_in \'backup\'' -l state -rF -d 'the service\'s state'
complete -c vc -n '__vc_in \'backup\'' -s f -l force -f -d 'overwrite the file'
complete -c vc -n '__vc_at 1 \'backup\'' -F
complete -c vc -n '__vc_in \'restore\'' -l state -rF -d 'where the state is to be'
complete -c vc -n '__vc_in \'restore\'' -l replace -f -d 'take the place of a state that is there; that one is kept beside'
complete -c vc -n '__vc_at 1 \'restore\'' -F
complete -c vc -n '__vc_in \'demo\'' -l keep -f -d 'leave the computer there to go on with'
complete -c vc -n '__vc_in \'demo\'' -l pause -x -d 'between steps, to read'
complete -c vc -n '__vc_at 1 \'completion\'' -f -a 'bash zsh fish'
complete -c vc -n '__vc_at +1 \'help\'' -f
