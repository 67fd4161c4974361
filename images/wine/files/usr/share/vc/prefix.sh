#!/bin/sh
# Makes Wine's folder, C: and registry. Its argument is the folder with Wine's own parts.
set -eu

# No offers to download .NET and an HTML engine, no entries in a menu that is not there.
export WINEDLLOVERRIDES='mscoree=d;mshtml=d;winemenubuilder.exe=d'
wineboot --init
wineserver --wait
wine winecfg /v win10
# Wine looks for fonts here, and Debian has its own elsewhere: without Marlett no window has buttons.
ln -s /usr/share/wine/fonts/*.ttf "$WINEPREFIX/drive_c/windows/Fonts/"
wine regedit /S 'Z:\usr\share\vc\settings.reg'

# Characters that a font lacks come from these.
others='DejaVuSans.ttf,DejaVu Sans\0NotoSansCJK-Regular.ttc,Noto Sans CJK SC\0Symbola_hint.ttf,Symbola'
for font in Tahoma 'DejaVu Sans' 'DejaVu Sans Mono' 'Liberation Sans' 'Microsoft Sans Serif'; do
  wine reg add 'HKLM\Software\Microsoft\Windows NT\CurrentVersion\FontLink\SystemLink' \
    /v "$font" /t REG_MULTI_SZ /d "$others" /f
done

wine cscript //nologo 'Z:\usr\share\vc\shortcuts.vbs'
wineserver --kill
wineserver --wait

# The same bytes once, and not a second time in every computer's own folder.
find "$WINEPREFIX/drive_c" -type f -size +1k | while read -r file; do
  for own in "$1"/*-windows/"${file##*/}"; do
    if cmp -s "$file" "$own"; then ln -sf "$own" "$file" && break; fi
  done
done
