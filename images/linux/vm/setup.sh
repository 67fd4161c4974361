#!/bin/sh
# Finishes a virtual machine's file system: runs as root in it, after the image's setup.sh. Needs the
# package lists. Creates /boot/vc/{kernel,initrd}, which the engine boots.
set -eu

# The kernel is extracted from its package, which is not installed: the machine boots a kernel outside
# the disk, so upgrades have no effect, and the package depends on boot loader tools.
work=$(mktemp -d)
cd "$work"
package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p')
apt-get -q download "$package"
dpkg-deb -x ./*.deb unpacked
release=${package#linux-image-}
mv "unpacked/lib/modules/$release" /usr/lib/modules.new
mkdir -p /usr/lib/modules
mv /usr/lib/modules.new "/usr/lib/modules/$release"
depmod "$release"

# Decompressed once, because an emulated machine would take a second for it at each boot.
python3 - "unpacked/boot/vmlinuz-$release" vmlinux <<'EOF'
import subprocess, sys

source, target = sys.argv[1:]
image = open(source, "rb").read()
MAGIC = b"\x02\x21\x4c\x18"  # LZ4's legacy frame
at = image.find(MAGIC)
while at >= 0:
    # lz4 fails on the data after the frame, when all output is written.
    found = subprocess.run(["lz4", "-dc"], input=image[at:], capture_output=True).stdout
    if found.startswith(b"\x7fELF"):
        open(target, "wb").write(found)
        sys.exit()
    at = image.find(MAGIC, at + 1)
sys.exit("the kernel is not packed with LZ4")
EOF

# The initial RAM disk: BusyBox and the modules for the disk.
mkdir -p initrd/bin initrd/dev initrd/proc initrd/root "initrd/lib/modules/$release"
cp /bin/busybox initrd/bin/busybox
for applet in sh ln mount umount mkdir modprobe usleep switch_root poweroff; do
  ln -s busybox "initrd/bin/$applet"
done
mv /usr/lib/vc/initrd initrd/init
chmod 755 initrd/init
modprobe -S "$release" -a --show-depends virtio_pci virtio_blk | awk '$1 == "insmod" { print $2 }' | sort -u |
  while read -r module; do cp "$module" "initrd/lib/modules/$release/"; done
cp "/usr/lib/modules/$release/modules.builtin" "/usr/lib/modules/$release/modules.order" "initrd/lib/modules/$release/"
depmod -b initrd "$release"
mkdir -p /boot/vc
(cd initrd && find . | sort | busybox cpio -o -H newc -R 0:0 2>/dev/null) >/boot/vc/initrd
mv vmlinux /boot/vc/kernel
cd /
rm -rf "$work"

for name in poweroff halt shutdown reboot; do ln -sf ../lib/vc/power "/usr/sbin/$name"; done
python3 -m compileall -q --invalidation-mode unchecked-hash /usr/lib/vc/agent
