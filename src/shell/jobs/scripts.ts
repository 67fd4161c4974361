import { SETUP_JOB } from './id.js';

/**
 * Bash scripts for jobs in the guest. A job is a directory under {@link JOBS}, named after its
 * id, so it outlives the service and every connection:
 *
 * - `process`: boot id, process id and start time of the job and of its watcher, and the time at
 *   which the job started;
 * - `output`: standard output and error, at most {@link MOST_OUTPUT_KIB}; `truncated` exists if
 *   there was more;
 * - `exit`: exit code and end time, written by the watcher;
 * - `command`: the beginning of the script, for listings.
 *
 * A process is identified by boot id, process id and start time, so that a reused process id is
 * never mistaken for the job or signalled.
 */

const JOBS = '"$HOME/.cache/vc/jobs"';

/** Most output kept per job, in KiB. */
const MOST_OUTPUT_KIB = 16 * 1024;
/** Number of job directories kept, and of jobs listed. */
export const MOST_JOBS = 100;
/** Grace period of a job between SIGTERM and SIGKILL, in steps of 50 ms. */
const GRACE_STEPS = 40;

/** The first line of an answer. */
export const FOUND = 'found';
export const MISSING = 'missing';

/** Start time of a process in clock ticks since boot: field 22 of proc(5)'s stat. */
const STARTED = `started() { local s; s=$(<"/proc/$1/stat") || return; set -- \${s##*) }; echo "\${20}"; } 2>/dev/null
boot=$(</proc/sys/kernel/random/boot_id)
`;

/** `show ID` prints the job's fields, each followed by NUL. */
const SHOW = `${STARTED}
alive() { [[ $1 == "$boot" && -n $3 && $(started "$2") == "$3" ]]; }
show() {
  local d=$1 on pid begun watcher watched at code= ended= status=exited cut=0
  read -r on pid begun watcher watched at 2>/dev/null <"$d/process" || return 1
  if read -r code ended 2>/dev/null <"$d/exit"; then :
  elif alive "$on" "$pid" "$begun" || alive "$on" "$watcher" "$watched"; then status=running
  # The watcher may have written it and ended since the first look.
  else read -r code ended 2>/dev/null <"$d/exit" || :; fi
  [[ -e $d/truncated ]] && cut=1
  printf '%s\\0' "$d" "$status" "$pid" "$code" "$at" "$ended" \\
    "$(stat -c %s "$d/output" 2>/dev/null)" "$cut" "$(head -c 1000 "$d/command" 2>/dev/null)"
}
`;

/**
 * Runs the job and waits for its end, in a session of its own, so that neither a lost connection
 * nor a signal to the job's process group ends it. Must not contain a single quote.
 */
const WATCHER = `# vc: a job; keeps its output and exit code
d=$1
${STARTED}
exec 5<&0 3>&1 >/dev/null 2>&1 </dev/null
exec 4> >(exec 3>&- 5<&-
  (ulimit -f ${MOST_OUTPUT_KIB}; trap "" XFSZ; exec cat >"$d/output") || : >"$d/truncated"
  exec cat >/dev/null)
sink=$!
setsid bash -c ". /dev/stdin # vc" <&5 >&4 2>&1 3>&- 4>&- 5<&- &
job=$!
begun=$(started $job)
exec 4>&- 5<&-
printf "%s\\n" "$boot $job \${begun:--} $$ $(started $$) $(date +%s)" >"$d/process.new"
mv -f "$d/process.new" "$d/process"
ln -sfn "$d/output" "/tmp/vc-job-$job.log"
echo "$job" >&3
exec 3>&-
cd "$d/.." && set -- job_*
while (($# > ${MOST_JOBS})); do
  { read -r on pid begun watcher watched at <"$1/process"; } || watcher=
  [[ $on == "$boot" && -n $watcher && $(started "$watcher") == "$watched" ]] || rm -rf -- "./$1"
  shift
done
wait "$job"
code=$?
for ((i = 0; i < 20; i++)); do kill -0 "$sink" || break; sleep 0.05; done
echo "$code $(date +%s)" >"$d/exit.new"
mv -f "$d/exit.new" "$d/exit"
`;

/**
 * Starts a job that runs the script `quoted`. The header line is its process id, which is also
 * that of its group. `id` must be valid.
 */
export function startJob(id: string, quoted: string, quotedBeginning: string): string {
  return [
    `d=${JOBS}/${id}`,
    'mkdir -p -m 700 -- "$d" || exit 1',
    `printf %s ${quotedBeginning} >"$d/command" || exit 1`,
    // The here-string is the script; the watcher's first line of output is the header.
    `read -r pid < <(exec setsid bash -c '${WATCHER}' vc-job "$d" <<<${quoted} 2>/dev/null)`,
    'echo "$pid"',
    '',
  ].join('\n');
}

/**
 * Prepares the directory of the job {@link SETUP_JOB}, to be followed by {@link startJob}. Prints
 * `found` and changes nothing if the job was started for the same `owner`: a copy of a computer has
 * the directory of its original.
 */
export function prepareSetupJob(owner: string): string {
  return `d=${JOBS}/${SETUP_JOB}
[[ $(cat "$d/owner" 2>/dev/null) == ${owner} && -e $d/process ]] && { echo ${FOUND}; exit 0; }
rm -rf -- "$d" && mkdir -p -m 700 -- "$d" && echo ${owner} >"$d/owner"
`;
}

export function listJobs(): string {
  return `${SHOW}echo ${FOUND}
cd ${JOBS} 2>/dev/null || exit 0
set -- ${SETUP_JOB} job_*
(($# > ${MOST_JOBS})) && shift $(($# - ${MOST_JOBS}))
for d; do show "$d"; done
exit 0
`;
}

/** Prints the job's fields, then `limit` bytes of its output from `offset`. */
export function showJob(id: string, offset: number, limit: number): string {
  return `${find(id)}
tail -c +${offset + 1} ${id}/output 2>/dev/null | head -c ${limit}
exit 0
`;
}

/** Waits until one of the jobs has ended or is gone, at most so many seconds, and prints them all. */
export function awaitJobs(ids: readonly string[], seconds: number): string {
  return `${SHOW}echo ${FOUND}
cd ${JOBS} 2>/dev/null || exit 0
ended() {
  local on pid begun watcher watched at
  [[ -e $1/exit ]] || ! read -r on pid begun watcher watched at 2>/dev/null <"$1/process" ||
    [[ $on != "$boot" || ! -e /proc/$watcher ]]
}
for ((n = 0; n < ${seconds}; n++)); do
  for d in ${ids.join(' ')}; do ended "$d" && break 2; done
  sleep 1
done
for d in ${ids.join(' ')}; do show "$d"; done
exit 0
`;
}

/** Terminates the job's process group, kills it after the grace period, and prints its fields. */
export function endJob(id: string): string {
  return `${SHOW}cd ${JOBS} 2>/dev/null && [[ -e ${id}/process ]] || { echo ${MISSING}; exit 0; }
read -r on pid begun watcher watched at <${id}/process
if alive "$on" "$pid" "$begun"; then
  kill -TERM -- "-$pid"
  for ((i = 0; i < ${GRACE_STEPS}; i++)); do kill -0 -- "-$pid" 2>/dev/null || break; sleep 0.05; done
  kill -KILL -- "-$pid" 2>/dev/null
fi
for ((i = 0; i < 40; i++)); do
  [[ -e ${id}/exit ]] || ! alive "$on" "$watcher" "$watched" && break
  sleep 0.05
done
echo ${FOUND}
show ${id}
exit 0
`;
}

function find(id: string): string {
  return `${SHOW}cd ${JOBS} 2>/dev/null && [[ -e ${id}/process ]] || { echo ${MISSING}; exit 0; }
echo ${FOUND}
show ${id}`;
}
