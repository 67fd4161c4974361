"""Starts programs as root or as the computer's user."""

import os
import signal

USER = 1000
# Processes that serve requests run before other programs: otherwise the programs that a click
# activates delay the next click.
FAVOURED = -15
USER_ENVIRONMENT = {
    "HOME": "/home/user",
    "USER": "user",
    "LOGNAME": "user",
    "SHELL": "/bin/bash",
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
}


def start(argv, environment, user=0, files=None):
    """Starts a program in its own session with normal priority, and returns its process id. `files`
    are its standard input, output and error; by default /dev/null and the console."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        os.setpriority(os.PRIO_PROCESS, 0, 0)
        if files is None:
            null = os.open("/dev/null", os.O_RDWR)
            files = (null, 1, 2)
        for target, source in enumerate(files):
            os.dup2(source, target)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        if user:
            os.setgroups([user])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            os.chdir("/home/user")
        os.execve(argv[0], argv, environment)
    finally:
        os._exit(127)


def favour(pid):
    """Raises the priority of a process, 0 for this one, and of the processes that it forks."""
    try:
        os.setpriority(os.PRIO_PROCESS, pid, FAVOURED)
    except OSError:
        pass  # It has ended, or has normal priority, which is only slower.


def run(argv, environment, user=0):
    """Runs a program and waits for it. Raises OSError if it fails."""
    _, status = os.waitpid(start(argv, environment, user), 0)
    if status:
        raise OSError(f"{argv[0]} failed with {os.waitstatus_to_exitcode(status)}")


def has_ended(pid):
    """Whether a child has ended. True only once, and not for programs that `run` waits for."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return False


def kill_all_of(user):
    """Kills all processes of a user, who must not be root."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setresuid(user, user, user)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
