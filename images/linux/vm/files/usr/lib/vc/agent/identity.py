"""The identity of this computer: host name, machine id, SSH keys."""

import os
import socket

import processes

STATE = "/var/lib/vc"
HOST_KEY = f"{STATE}/ssh_host_ed25519_key"


def renew(hostname, key, host_key=None):
    """Returns whether the identity has changed; then keys and ids are replaced. The SSH host key is
    the given one, or a new one, which an emulated machine takes a second to generate."""
    socket.sethostname(hostname)
    write("/etc/hostname", f"{hostname}\n")
    hosts = f"127.0.0.1 localhost\n127.0.1.1 {hostname}\n::1 localhost ip6-localhost ip6-loopback\n"
    write("/etc/hosts", hosts)
    # The same text as in /usr/lib/vc/identify, which then changes nothing.
    identity = f"{hostname} {key}\n"
    if read(f"{STATE}/identity") == identity and os.path.exists(HOST_KEY):
        return False
    if host_key is None:
        environment = {**processes.USER_ENVIRONMENT, "HOSTNAME": hostname, "VC_AUTHORIZED_KEY": key}
        processes.run(["/usr/lib/vc/identify"], environment, processes.USER)
        return True
    for name in os.listdir(STATE):
        if name.startswith("ssh_host_"):
            os.unlink(f"{STATE}/{name}")
    write(HOST_KEY, host_key, processes.USER, 0o600)
    write(f"{STATE}/machine-id", os.urandom(16).hex() + "\n", processes.USER)
    write(f"{STATE}/authorized_keys", f"{key}\n", processes.USER)
    write(f"{STATE}/identity", identity, processes.USER)
    return True


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def write(path, content, user=0, mode=0o644):
    """Writes the file atomically, unless it has this content."""
    if read(path) == content and not os.path.islink(path):
        return
    new = f"{path}.new"
    try:
        os.unlink(new)
    except FileNotFoundError:
        pass
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        os.write(file, content.encode())
        os.fchown(file, user, user)
        os.fchmod(file, mode)
    finally:
        os.close(file)
    os.replace(new, path)
