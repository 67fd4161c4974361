#!/bin/sh
# Finishes the image: runs as root in its file system, after the Linux image's setup.sh.
set -eu

# Windows programs use UTF-8 if the system language has no code page, as Māori; English has one.
# Messages and formats are those of en_US.
for locale in en_US mi_NZ; do
  localedef --inputfile="$locale" --charmap=UTF-8 --no-archive "$locale.UTF-8"
done

# 32-bit programs run in the 64-bit Wine, which only needs the 32-bit libraries. They are extracted
# from the package of the other architecture, whose index is separate from the system's.
wine=/usr/lib/x86_64-linux-gnu/wine
version=$(dpkg-query --show --showformat='${Version}' libwine)
scratch=$(mktemp -d)
mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
chmod -R 755 "$scratch"
other() {
  (cd "$scratch" && apt-get -o APT::Architecture=i386 -o APT::Architectures=i386 \
    -o Dir::State::Lists="$scratch/lists" -o Dir::Cache="$scratch/cache" -o APT::Sandbox::User=root "$@")
}
# An index that cannot be downloaded is ignored if another one has the package.
other update || true
other download "libwine=$version"
dpkg-deb --fsys-tarfile "$scratch"/libwine_*.deb | tar -x -C "$scratch" --wildcards '*/i386-windows/*'
cp "$scratch"/usr/lib/i386-linux-gnu/wine/i386-windows/* "$wine/i386-windows/"
rm -rf "$scratch"

# Debugging information is three quarters of Wine's files.
strip --strip-all --preserve-dates "$wine"/*-windows/*.*
apt-get purge --yes --auto-remove binutils >/dev/null

python3 /usr/share/vc/icon.py chromium >/usr/share/vc/chromium.ico

# Create the Wine prefix, so that the first start has nothing to set up.
setpriv --reuid=user --regid=user --clear-groups env --chdir=/home/user --ignore-environment \
  HOME=/home/user USER=user TMPDIR=/tmp $(cat /usr/lib/vc/environment) DISPLAY= \
  sh /usr/share/vc/prefix.sh "$wine"

rm -rf /tmp/.wine-* /tmp/.X11-unix
