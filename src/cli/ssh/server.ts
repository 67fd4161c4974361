/**
 * Serves one SSH connection in the computer, by the OpenSSH server of the guest and with the rights
 * of the user who runs it. Its arguments are the public key to accept.
 *
 * First prints a line with its user and host key, see {@link parseGreeting}. The host key is that of
 * the image; a disk that was imported gets one of its own. Sessions have the variables of the
 * programs that the service starts: those of the desktop and of the computer.
 */
export const SERVE_SSH = `# vc: an SSH connection
sshd=/usr/sbin/sshd
[ -x $sshd ] || { echo "error: the computer has no $sshd" >&2; exit 127; }
key=/var/lib/vc/ssh_host_ed25519_key
[ -r $key ] || {
  key=$HOME/.ssh/vc_host_key
  mkdir -p -m 700 "$HOME/.ssh"
  [ -s "$key" ] || ssh-keygen -q -t ed25519 -N '' -C vc -f "$key" </dev/null >&2 || exit
}
user=$(id -un)
variables=$(env -0 | sed -zE '/^(_|PWD|OLDPWD|SHLVL|TERM|SSH_[A-Z]+)=/d; s/["\\\\]/\\\\&/g; s/.*/"&"/' | tr '\\0' ' ')
echo "vc-ssh $user $(ssh-keygen -y -f "$key" | cut -d ' ' -f 1,2)"
# Without addresses of IPv6, a forwarding from the computer would print an error for ::1.
[ "$(cat /proc/net/if_inet6 2>/dev/null)" ] || set -- "$1" -4
exec $sshd -i -e -f /dev/null -h "$key" -o LogLevel=ERROR -o UsePAM=no -o StrictModes=no \\
  -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no -o AuthorizedKeysFile=none \\
  -o "AuthorizedKeysCommand=/bin/echo $1" -o "AuthorizedKeysCommandUser=$user" \\
  -o MaxSessions=100 -o UseDNS=no -o PidFile=none -o PrintMotd=no -o PrintLastLog=no \\
  -o 'AcceptEnv=*' $2 -o "SetEnv=$variables" -o 'Subsystem=sftp internal-sftp'`;

/** What the first line of {@link SERVE_SSH} says. */
export interface Greeting {
  readonly user: string;
  /** Type and key, as in `known_hosts`. */
  readonly hostKey: string;
}

/** Undefined if the line is another one. */
export function parseGreeting(line: string): Greeting | undefined {
  const match = /^vc-ssh ([^\s]+) (ssh-ed25519 [A-Za-z0-9+/=]+)$/.exec(line);
  const [, user, hostKey] = match ?? [];
  return user === undefined || hostKey === undefined ? undefined : { user, hostKey };
}
