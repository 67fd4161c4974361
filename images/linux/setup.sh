#!/bin/sh
# Finishes the image: runs as root in its file system, after the packages and the files are there.
set -eu

# The computer's user, its home from /etc/skel, and what it writes outside of it.
useradd --uid 1000 --user-group --create-home --shell /bin/bash user
install -d -o user -g user /home/user/Desktop /home/user/Documents /home/user/Downloads /home/user/Pictures
install -d -o user -g user /home/user/.cache /home/user/.local /home/user/.local/bin
install -d -m 700 -o user -g user /home/user/.ssh /var/lib/vc

# Each computer makes its own identity at its first start, as this user.
rm -f /etc/ssh/ssh_host_*
mkdir -p /var/lib/dbus
ln -sf /var/lib/vc/machine-id /etc/machine-id
ln -sf /var/lib/vc/machine-id /var/lib/dbus/machine-id

chmod 440 /etc/sudoers.d/vc

# A recipe that builds on this one may have another desktop.
if [ -d /usr/share/xfce4/panel ]; then
  # Wallpaper: drawn once, also where the desktop looks for its default.
  gdk-pixbuf-thumbnailer -s 1920 /usr/share/backgrounds/vc/default.svg /usr/share/backgrounds/vc/default.png
  ln -sf ../vc/default.png /usr/share/backgrounds/xfce/xfce-shapes.svg
  update-alternatives --set x-terminal-emulator /usr/bin/xfce4-terminal.wrapper
  gtk-update-icon-cache -q -f /usr/share/icons/elementary-xfce
  # The tray in the panel's own process: one program less to start.
  sed -i 's/X-XFCE-Internal=.*/X-XFCE-Internal=true/' /usr/share/xfce4/panel/plugins/systray.desktop
fi

# Caches that programs would build at their first start.
/usr/lib/*/glib-2.0/glib-compile-schemas /usr/share/glib-2.0/schemas
# Font caches count only while the folders have the time noted in them: one that no archive changes,
# in whole seconds and in the past.
find -L /usr/share/fonts /usr/local/share/fonts -type d -exec touch -r /etc/debian_version {} +
fc-cache -s

# What no one reads in a virtual computer.
find /usr/share/doc /usr/share/locale /usr/lib/chromium/locales -depth -type f \
  ! -name copyright ! -name locale.alias ! -name 'en-US*.pak' -delete 2>/dev/null || true
rm -rf /usr/share/man /usr/share/info /usr/share/gtk-doc /usr/share/help
rm -f /usr/lib/chromium/libVkLayer_khronos_validation.so
rm -rf /var/log/*.log /var/log/apt
find /usr/lib/python3 -name __pycache__ -prune -exec rm -rf {} +

# /run is not a tmpfs in a container. /run/vc is where the host's directory for this computer goes.
# (/tmp and the package lists are left to who called this: they may hold what it still needs.)
rm -rf /run/*
install -d -m 755 /run/lock /run/user /run/sshd
install -d -m 700 -o user -g user /run/user/1000
install -d -m 777 -o user -g user /run/vc
