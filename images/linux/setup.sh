#!/bin/sh
# Finishes the image: runs as root in its file system, after packages and files are installed.
set -eu

# The computer's user, its home directory from /etc/skel, and its directories elsewhere.
useradd --uid 1000 --user-group --create-home --shell /bin/bash user
install -d -o user -g user /home/user/Desktop /home/user/Documents /home/user/Downloads /home/user/Pictures
install -d -o user -g user /home/user/.cache /home/user/.local /home/user/.local/bin
install -d -m 700 -o user -g user /home/user/.ssh /var/lib/vc

# Each computer creates its own identity at its first start, as this user.
rm -f /etc/ssh/ssh_host_*
mkdir -p /var/lib/dbus
ln -sf /var/lib/vc/machine-id /etc/machine-id
ln -sf /var/lib/vc/machine-id /var/lib/dbus/machine-id

chmod 440 /etc/sudoers.d/vc

# A recipe that builds on this one may have another desktop.
if [ -d /usr/share/xfce4/panel ]; then
  # Wallpaper: rendered once, uncompressed, so that it is read quickly, and linked as the desktop's default.
  python3 - /usr/share/backgrounds/vc/default.svg /usr/share/backgrounds/vc/default.bmp <<'EOT'
import ctypes, os, sys

source, target = map(os.fsencode, sys.argv[1:])
pixbuf = ctypes.CDLL("libgdk_pixbuf-2.0.so.0")
pixbuf.gdk_pixbuf_new_from_file_at_size.restype = ctypes.c_void_p
picture = pixbuf.gdk_pixbuf_new_from_file_at_size(source, 1280, 800, None)
if not picture or not pixbuf.gdk_pixbuf_save(ctypes.c_void_p(picture), target, b"bmp", None, None):
    sys.exit("the wallpaper cannot be rendered")
EOT
  ln -sf ../vc/default.bmp /usr/share/backgrounds/xfce/xfce-shapes.svg
  update-alternatives --set x-terminal-emulator /usr/bin/xfce4-terminal.wrapper
  gtk-update-icon-cache -q -f /usr/share/icons/elementary-xfce
  # Every program parses the theme when it starts, xfdesktop twice, and xfdesktop writes it as text with
  # all pictures, except those that GTK may recolour. Without the rules for programs that are not here,
  # the pictures for screens of double density, and pictures as text, the desktop starts with a quarter
  # less work.
  python3 - /usr/share/themes/Arc-Darker/gtk-3.0 <<'EOT'
import ctypes, re, sys

gio = ctypes.CDLL("libgio-2.0.so.0")
glib = ctypes.CDLL("libglib-2.0.so.0")
for call in gio.g_resource_load, gio.g_resource_lookup_data, glib.g_bytes_get_data:
    call.restype = ctypes.c_void_p
gio.g_resource_load.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
gio.g_resource_lookup_data.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
glib.g_bytes_get_data.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)]

FOLDER = "/org/gnome/arc-theme/"
ABSENT = re.compile(
    "nautilus|nemo|caja|budgie|lightdm|gedit|mate-panel|unity|granite|pluma|panel-?applet|tilix"
    "|gnome-|epiphany|evince|totem|photos|documents|tweak|rhythmbox|geary|polari|software|sushi|#gf-"
    "|xfcenotify|selection-?mode|touch-selection|tiled|app-notification|source-list|panel-toplevel"
    "|tabbar|tab-drag|stack-switcher|expander-row",
    re.IGNORECASE,
)
# One of: a rule of its own at the top level, such as @import, or a selector and its block, which may
# have blocks in it.
RULE = re.compile(r"([^{};]+)(;|\{(?:[^{}]|\{[^{}]*\})*\})")


def resource_text(resource, name):
    size = ctypes.c_size_t()
    data = gio.g_resource_lookup_data(resource, (FOLDER + name).encode(), 0, None)
    return ctypes.string_at(glib.g_bytes_get_data(data, ctypes.byref(size)), size.value).decode()


def without_absent(rule):
    selectors = [part for part in re.split(r",(?![^(]*\))", rule[1]) if not ABSENT.search(part)]
    return ",".join(selectors) + rule[2] if selectors else ""


resource = gio.g_resource_load(f"{sys.argv[1]}/gtk.gresource".encode(), None)
for name, source in ("gtk.css", "gtk-main-darker.css"), ("gtk-dark.css", "gtk-main-dark.css"):
    css = re.sub(r"/\*.*?\*/", "", resource_text(resource, source), flags=re.DOTALL)
    css = re.sub(r"-gtk-scaled\((url\([^)]*\)),\s*url\([^)]*\)\)", r"\1", css)
    css = re.sub(r'url\("(?!resource:)([^"]*)"\)', rf'-gtk-recolor(url("resource://{FOLDER}\1"))', css)
    open(f"{sys.argv[1]}/{name}", "w").write(RULE.sub(without_absent, css))
EOT
  # Run the tray and the menu in the panel's process, which saves two processes.
  sed -i 's/X-XFCE-Internal=.*/X-XFCE-Internal=true/' \
    /usr/share/xfce4/panel/plugins/systray.desktop /usr/share/xfce4/panel/plugins/whiskermenu.desktop
  sed -i 's|^Exec=.*|Exec=/usr/lib/vc/file-manager|' /usr/share/dbus-1/services/org.xfce.FileManager.service \
    /usr/share/dbus-1/services/org.xfce.Thunar*.service
fi

# Caches that programs otherwise build at their first start.
/usr/lib/*/glib-2.0/glib-compile-schemas /usr/share/glib-2.0/schemas
# A font cache is valid only while its directory has the recorded time: set one that archives
# preserve, in whole seconds and in the past.
find -L /usr/share/fonts /usr/local/share/fonts -type d -exec touch -r /etc/debian_version {} +
fc-cache -s

# Remove documentation and translations.
find /usr/share/doc /usr/share/locale /usr/lib/chromium/locales -depth -type f \
  ! -name copyright ! -name locale.alias ! -name 'en-US*.pak' -delete 2>/dev/null || true

# The window manager adds "(on HOST)" to titles if the host name is another than at its start, and
# has no setting for it. The name changes when a machine starts from a template or a fork, so this
# translation, which only the window manager uses, leaves the host out.
if [ -d /usr/share/xfwm4 ]; then
  mkdir -p /usr/share/locale/en@vc/LC_MESSAGES
  python3 - /usr/share/locale/en@vc/LC_MESSAGES/xfwm4.mo <<'EOT'
import struct, sys

messages = [
    (b"", b"Content-Type: text/plain; charset=UTF-8\n"),
    (b"%s (on %s)", b"%s%.0s"),
]
# The format of GNU gettext: a header, a table of originals, one of translations, and the texts.
start = 28
size = 8 * len(messages)
tables, texts = b"", b""
for column in range(2):
    for message in messages:
        tables += struct.pack("<II", len(message[column]), start + 2 * size + len(texts))
        texts += message[column] + b"\0"
header = struct.pack("<7I", 0x950412DE, 0, len(messages), start, start + size, 0, 0)
open(sys.argv[1], "wb").write(header + tables + texts)
EOT
fi

rm -rf /usr/share/man /usr/share/info /usr/share/gtk-doc /usr/share/help
rm -f /usr/lib/chromium/libVkLayer_khronos_validation.so
rm -rf /var/log/*.log /var/log/apt
find /usr/lib/python3 -name __pycache__ -prune -exec rm -rf {} +

# /run is not a tmpfs in a container. /run/vc is the mount point of the host's socket directory.
# (The caller cleans /tmp and the package lists, which it may still need.)
rm -rf /run/*
install -d -m 755 /run/lock /run/user /run/sshd
install -d -m 700 -o user -g user /run/user/1000
install -d -m 777 -o user -g user /run/vc
