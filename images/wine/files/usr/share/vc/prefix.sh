#!/bin/sh
# Creates the Wine prefix: drive C: and the registry. The argument is Wine's installation directory.
set -eu

# No prompts to download .NET and an HTML engine, and no menu entries, since there is no menu.
export WINEDLLOVERRIDES='mscoree=d;mshtml=d;winemenubuilder.exe=d'
wineboot --init
wineserver --wait
wine winecfg /v win10
# Wine expects its fonts here, Debian has them elsewhere. Without Marlett, windows have no buttons.
ln -s /usr/share/wine/fonts/*.ttf "$WINEPREFIX/drive_c/windows/Fonts/"
wine regedit /S 'Z:\usr\share\vc\settings.reg'

# Fallback fonts for missing characters.
others='DejaVuSans.ttf,DejaVu Sans\0NotoSansCJK-Regular.ttc,Noto Sans CJK SC\0Symbola_hint.ttf,Symbola'
for font in Tahoma 'DejaVu Sans' 'DejaVu Sans Mono' 'Liberation Sans' 'Microsoft Sans Serif'; do
  wine reg add 'HKLM\Software\Microsoft\Windows NT\CurrentVersion\FontLink\SystemLink' \
    /v "$font" /t REG_MULTI_SZ /d "$others" /f
done

wine cscript //nologo 'Z:\usr\share\vc\shortcuts.vbs'
wineserver --kill
wineserver --wait

# Link identical files to Wine's own, instead of a copy in every computer's prefix.
find "$WINEPREFIX/drive_c" -type f -size +1k | while read -r file; do
  for own in "$1"/*-windows/"${file##*/}"; do
    if cmp -s "$file" "$own"; then ln -sf "$own" "$file" && break; fi
  done
done
