# The first process of a test cluster's member, in namespaces of its own for processes, mounts and the
# network: prepares them and runs the server, so that nothing is left when this process ends.
#
#   member.sh DIRECTORY ADDRESS/LENGTH GATEWAY lxd|incus
set -eu
directory=$1 address=$2 gateway=$3 server=$4

# A new /sys shows the interfaces of this network namespace, where the server looks for its bridge; the
# control groups are mounted into it again.
mount --make-rprivate /
groups=$(mktemp -d)
mount --rbind /sys/fs/cgroup "$groups"
mount -t sysfs sysfs /sys
if [ -e "$groups/cgroup.controllers" ]; then
  mount --rbind "$groups" /sys/fs/cgroup
else
  mount -t tmpfs none /sys/fs/cgroup
  for group in "$groups"/*/; do
    name=$(basename "$group")
    mkdir "/sys/fs/cgroup/$name"
    mount --rbind "$group" "/sys/fs/cgroup/$name"
  done
fi

# Users in containers have to reach their files, but may not enter the home directory with the cache.
mkdir -p "/var/lib/$server"
mount --bind "$directory/$server" "/var/lib/$server"

# The test puts the interface here.
until ip link set e0 up 2>/dev/null; do sleep 0.02; done
ip link set lo up
ip address add "$address" dev e0
ip route add default via "$gateway"

case $server in
  lxd) LXD_DIR=/var/lib/lxd lxd --group root --logfile "$directory/server.log" & ;;
  incus) INCUS_DIR=/var/lib/incus incusd --group root --logfile "$directory/server.log" & ;;
esac
echo $! >"$directory/server.pid"
# Also reaps the orphans of this process namespace.
wait
