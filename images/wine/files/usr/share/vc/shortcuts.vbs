' Icons on the desktop and entries of the Start menu.
Option Explicit
Dim shell, desktop, menu
Set shell = CreateObject("WScript.Shell")
desktop = "C:\users\user\Desktop\"
menu = "C:\ProgramData\Microsoft\Windows\Start Menu\"

Sub Add(folder, name, program, arguments, icon)
  Dim link
  Set link = shell.CreateShortcut(folder & name & ".lnk")
  link.TargetPath = program
  link.Arguments = arguments
  link.WorkingDirectory = "C:\users\user"
  If icon <> "" Then link.IconLocation = icon
  link.Save
End Sub

Sub Everywhere(name, program, arguments, icon)
  Add desktop, name, program, arguments, icon
  Add menu, name, program, arguments, icon
End Sub

Const system = "C:\windows\system32\"
Everywhere "Explorer", "C:\windows\explorer.exe", "C:\users\user", "C:\windows\system32\shell32.dll,15"
Everywhere "Notepad", "C:\windows\notepad.exe", "", ""
Everywhere "Command Prompt", system & "cmd.exe", "", ""
Everywhere "Chromium", system & "start.exe", "/unix /usr/bin/chromium", "Z:\usr\share\vc\chromium.ico,0"

Add menu & "Programs\", "WordPad", "C:\Program Files\Windows NT\Accessories\wordpad.exe", "", ""
Add menu & "Programs\", "Registry Editor", "C:\windows\regedit.exe", "", ""
Add menu & "Programs\", "Task Manager", system & "taskmgr.exe", "", ""
Add menu & "Programs\", "Control Panel", system & "control.exe", "", ""
Add menu & "Programs\", "Minesweeper", system & "winemine.exe", "", ""
Add menu & "Programs\", "Wine Configuration", system & "winecfg.exe", "", ""
Add menu & "Programs\", "Add or Remove Programs", system & "uninstaller.exe", "", ""
Add menu & "Programs\", "Python", system & "start.exe", "/unix /usr/bin/xterm -T Python -e python3", system & "cmd.exe,0"
