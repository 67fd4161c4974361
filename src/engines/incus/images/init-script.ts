/**
 * `/sbin/init` of the machines' containers. A restricted project cannot name another first process,
 * and the images have none, because the other engines start `/usr/lib/vc/init` themselves.
 */
export const INIT_SCRIPT = `#!/bin/bash
# The first process of a container: prepares file systems in memory and the network, then runs the
# desktop as the computer's user, without privileges. The container ends with the desktop.
#
# Environment: VC_HOST_NAME, VC_NETWORK (ADDRESS/LENGTH GATEWAY, or empty), VC_MEMORY_MIB, VC_SUDO
# (1: the user may become root in the container), VC_VOLUMES (ro:PATH or rw:PATH, with spaces between),
# and what /usr/lib/vc/init reads.
set -u
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
umask 022
exec >/dev/null 2>&1 </dev/null

# LXD and Incus send SIGPWR to stop the container.
desktop=
trap 'if [ -n "$desktop" ]; then kill -TERM "$desktop"; else exit 0; fi' PWR TERM INT

# Both count towards the memory of the container.
half=$((\${VC_MEMORY_MIB:-1024} / 2))m
mkdir -p /dev/shm
mount -t tmpfs -o "nosuid,nodev,mode=1777,size=$half" tmpfs /tmp
mount -t tmpfs -o "nosuid,nodev,mode=1777,size=$half" tmpfs /dev/shm
mount -t tmpfs -o nosuid,nodev,noexec,mode=0700,uid=1000,gid=1000,size=1m,nr_inodes=256 tmpfs /run/vc

for volume in \${VC_VOLUMES:-}; do
  path=\${volume#*:}
  # As the cluster has made it: it becomes the user's.
  if [ "$(stat -c %u:%a "$path")" = 0:711 ]; then
    chown 1000:1000 "$path" && chmod 755 "$path"
  fi
  mount -o "remount,bind,\${volume%%:*},nosuid,nodev" "$path"
done

# With a user namespace, programs could use more of the kernel.
echo 0 >/proc/sys/user/max_user_namespaces
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6

hostname "$VC_HOST_NAME"
echo "$VC_HOST_NAME" >/etc/hostname
printf '127.0.0.1 localhost\\n127.0.1.1 %s\\n' "$VC_HOST_NAME" >/etc/hosts
ip link set lo up
read -r address gateway <<<"\${VC_NETWORK:-}"
if [ -n "$address" ]; then
  ip address add "$address" dev eth0
  ip link set eth0 up
  ip route add default via "$gateway"
  echo "nameserver $gateway" >/etc/resolv.conf
fi

ulimit -c 0
ulimit -n 16384
unprivileged=(--inh-caps=-all --bounding-set=-all --no-new-privs)
[ "\${VC_SUDO:-0}" = 1 ] && unprivileged=()
setpriv --reuid=1000 --regid=1000 --init-groups "\${unprivileged[@]}" /usr/lib/vc/init &
desktop=$!
while kill -0 "$desktop"; do wait "$desktop"; done
`;
