# `sh namespaces.sh DATA`, in a mount and a network namespace of its own, as root: hides what Podman would
# use of the host. Storage and settings of networks are in DATA, the rest in memory.
set -e
data=$1
# As systemd has it: the mounts of a container are removed in another namespace.
mount --make-rshared /
ip link set lo up
mkdir -p "$data/storage" "$data/networks" /var/lib/containers /etc/containers/networks
mount --bind "$data/storage" /var/lib/containers
mount --bind "$data/networks" /etc/containers/networks
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /run
for name in subuid subgid; do
  echo containers:1000000000:500000000 >/run/$name
  touch /etc/$name
  mount --bind /run/$name /etc/$name
done
echo ready
exec sleep infinity
