/**
 * Names and numbers of the X keysyms, from keysymdef.h and XF86keysym.h of the X.Org protocol
 * headers, without the prefix `XK_`, in a compact form.
 */

/** Keysyms 0x20 to 0x7e: equal to their character codes. */
const ASCII = `
  space exclam quotedbl numbersign dollar percent ampersand apostrophe parenleft parenright
  asterisk plus comma minus period slash 0 1 2 3 4 5 6 7 8 9 colon semicolon less equal greater
  question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash
  bracketright asciicircum underscore grave a b c d e f g h i j k l m n o p q r s t u v w x y z
  braceleft bar braceright asciitilde`;

/** Keysyms 0xa0 to 0xff: their number is their character's as well. */
const LATIN1 = `
  nobreakspace exclamdown cent sterling currency yen brokenbar section diaeresis copyright
  ordfeminine guillemotleft notsign hyphen registered macron degree plusminus twosuperior
  threesuperior acute mu paragraph periodcentered cedilla onesuperior masculine guillemotright
  onequarter onehalf threequarters questiondown Agrave Aacute Acircumflex Atilde Adiaeresis Aring
  AE Ccedilla Egrave Eacute Ecircumflex Ediaeresis Igrave Iacute Icircumflex Idiaeresis ETH Ntilde
  Ograve Oacute Ocircumflex Otilde Odiaeresis multiply Oslash Ugrave Uacute Ucircumflex Udiaeresis
  Yacute THORN ssharp agrave aacute acircumflex atilde adiaeresis aring ae ccedilla egrave eacute
  ecircumflex ediaeresis igrave iacute icircumflex idiaeresis eth ntilde ograve oacute ocircumflex
  otilde odiaeresis division oslash ugrave uacute ucircumflex udiaeresis yacute thorn ydiaeresis`;

/** Function, editing, keypad, modifier and dead keys: name and hexadecimal number. */
const FUNCTION = `
  BackSpace:ff08 Tab:ff09 Linefeed:ff0a Clear:ff0b Return:ff0d Pause:ff13 Scroll_Lock:ff14
  Sys_Req:ff15 Escape:ff1b Delete:ffff Multi_key:ff20 Codeinput:ff37 SingleCandidate:ff3c
  MultipleCandidate:ff3d PreviousCandidate:ff3e Mae_Koho:ff3e Home:ff50 Left:ff51 Up:ff52
  Right:ff53 Down:ff54 Prior:ff55 Page_Up:ff55 Next:ff56 Page_Down:ff56 End:ff57 Begin:ff58
  Select:ff60 Print:ff61 Execute:ff62 Insert:ff63 Undo:ff65 Redo:ff66 Menu:ff67 Find:ff68
  Cancel:ff69 Help:ff6a Break:ff6b Mode_switch:ff7e Num_Lock:ff7f KP_Space:ff80 KP_Tab:ff89
  KP_Enter:ff8d KP_F1:ff91 KP_F2:ff92 KP_F3:ff93 KP_F4:ff94 KP_Home:ff95 KP_Left:ff96 KP_Up:ff97
  KP_Right:ff98 KP_Down:ff99 KP_Prior:ff9a KP_Page_Up:ff9a KP_Next:ff9b KP_Page_Down:ff9b
  KP_End:ff9c KP_Begin:ff9d KP_Insert:ff9e KP_Delete:ff9f KP_Equal:ffbd KP_Multiply:ffaa
  KP_Add:ffab KP_Separator:ffac KP_Subtract:ffad KP_Decimal:ffae KP_Divide:ffaf KP_0:ffb0 KP_1:ffb1
  KP_2:ffb2 KP_3:ffb3 KP_4:ffb4 KP_5:ffb5 KP_6:ffb6 KP_7:ffb7 KP_8:ffb8 KP_9:ffb9 F1:ffbe F2:ffbf
  F3:ffc0 F4:ffc1 F5:ffc2 F6:ffc3 F7:ffc4 F8:ffc5 F9:ffc6 F10:ffc7 F11:ffc8 F12:ffc9 F13:ffca
  F14:ffcb F15:ffcc F16:ffcd F17:ffce F18:ffcf F19:ffd0 F20:ffd1 F21:ffd2 F22:ffd3 F23:ffd4
  F24:ffd5 F25:ffd6 F26:ffd7 F27:ffd8 F28:ffd9 F29:ffda F30:ffdb F31:ffdc F32:ffdd F33:ffde
  F34:ffdf F35:ffe0 Shift_L:ffe1 Shift_R:ffe2 Control_L:ffe3 Control_R:ffe4 Caps_Lock:ffe5
  Shift_Lock:ffe6 Meta_L:ffe7 Meta_R:ffe8 Alt_L:ffe9 Alt_R:ffea Super_L:ffeb Super_R:ffec
  Hyper_L:ffed Hyper_R:ffee ISO_Lock:fe01 ISO_Level2_Latch:fe02 ISO_Level3_Shift:fe03
  ISO_Level3_Latch:fe04 ISO_Level3_Lock:fe05 ISO_Level5_Shift:fe11 ISO_Level5_Latch:fe12
  ISO_Level5_Lock:fe13 ISO_Group_Shift:ff7e ISO_Group_Latch:fe06 ISO_Group_Lock:fe07
  ISO_Next_Group:fe08 ISO_Next_Group_Lock:fe09 ISO_Prev_Group:fe0a ISO_Prev_Group_Lock:fe0b
  ISO_First_Group:fe0c ISO_First_Group_Lock:fe0d ISO_Last_Group:fe0e ISO_Last_Group_Lock:fe0f
  ISO_Left_Tab:fe20 ISO_Move_Line_Up:fe21 ISO_Move_Line_Down:fe22 ISO_Partial_Line_Up:fe23
  ISO_Partial_Line_Down:fe24 ISO_Partial_Space_Left:fe25 ISO_Partial_Space_Right:fe26
  ISO_Set_Margin_Left:fe27 ISO_Set_Margin_Right:fe28 ISO_Release_Margin_Left:fe29
  ISO_Release_Margin_Right:fe2a ISO_Release_Both_Margins:fe2b ISO_Fast_Cursor_Left:fe2c
  ISO_Fast_Cursor_Right:fe2d ISO_Fast_Cursor_Up:fe2e ISO_Fast_Cursor_Down:fe2f
  ISO_Continuous_Underline:fe30 ISO_Discontinuous_Underline:fe31 ISO_Emphasize:fe32
  ISO_Center_Object:fe33 ISO_Enter:fe34 dead_grave:fe50 dead_acute:fe51 dead_circumflex:fe52
  dead_tilde:fe53 dead_perispomeni:fe53 dead_macron:fe54 dead_breve:fe55 dead_abovedot:fe56
  dead_diaeresis:fe57 dead_abovering:fe58 dead_doubleacute:fe59 dead_caron:fe5a dead_cedilla:fe5b
  dead_ogonek:fe5c dead_iota:fe5d dead_voiced_sound:fe5e dead_semivoiced_sound:fe5f
  dead_belowdot:fe60 dead_hook:fe61 dead_horn:fe62 dead_stroke:fe63 dead_abovecomma:fe64
  dead_psili:fe64 dead_abovereversedcomma:fe65 dead_dasia:fe65 dead_doublegrave:fe66
  dead_belowring:fe67 dead_belowmacron:fe68 dead_belowcircumflex:fe69 dead_belowtilde:fe6a
  dead_belowbreve:fe6b dead_belowdiaeresis:fe6c dead_invertedbreve:fe6d dead_belowcomma:fe6e
  dead_currency:fe6f dead_lowline:fe90 dead_aboveverticalline:fe91 dead_belowverticalline:fe92
  dead_longsolidusoverlay:fe93 dead_a:fe80 dead_A:fe81 dead_e:fe82 dead_E:fe83 dead_i:fe84
  dead_I:fe85 dead_o:fe86 dead_O:fe87 dead_u:fe88 dead_U:fe89 dead_small_schwa:fe8a
  dead_capital_schwa:fe8b dead_greek:fe8c AccessX_Enable:fe70 AccessX_Feedback_Enable:fe71
  EuroSign:20ac braille_dot_1:fff1 braille_dot_2:fff2 braille_dot_3:fff3 braille_dot_4:fff4
  braille_dot_5:fff5 braille_dot_6:fff6 braille_dot_7:fff7 braille_dot_8:fff8 braille_dot_9:fff9
  braille_dot_10:fffa`;

/** Keys of multimedia keyboards. */
const MEDIA = `
  XF86ModeLock:1008ff01 XF86MonBrightnessUp:1008ff02 XF86MonBrightnessDown:1008ff03
  XF86KbdLightOnOff:1008ff04 XF86KbdBrightnessUp:1008ff05 XF86KbdBrightnessDown:1008ff06
  XF86MonBrightnessCycle:1008ff07 XF86Standby:1008ff10 XF86AudioLowerVolume:1008ff11
  XF86AudioMute:1008ff12 XF86AudioRaiseVolume:1008ff13 XF86AudioPlay:1008ff14
  XF86AudioStop:1008ff15 XF86AudioPrev:1008ff16 XF86AudioNext:1008ff17 XF86HomePage:1008ff18
  XF86Mail:1008ff19 XF86Start:1008ff1a XF86Search:1008ff1b XF86AudioRecord:1008ff1c
  XF86Calculator:1008ff1d XF86Memo:1008ff1e XF86ToDoList:1008ff1f XF86Calendar:1008ff20
  XF86PowerDown:1008ff21 XF86ContrastAdjust:1008ff22 XF86RockerUp:1008ff23 XF86RockerDown:1008ff24
  XF86RockerEnter:1008ff25 XF86Back:1008ff26 XF86Forward:1008ff27 XF86Stop:1008ff28
  XF86Refresh:1008ff29 XF86PowerOff:1008ff2a XF86WakeUp:1008ff2b XF86Eject:1008ff2c
  XF86ScreenSaver:1008ff2d XF86WWW:1008ff2e XF86Sleep:1008ff2f XF86Favorites:1008ff30
  XF86AudioPause:1008ff31 XF86AudioMedia:1008ff32 XF86MyComputer:1008ff33 XF86VendorHome:1008ff34
  XF86LightBulb:1008ff35 XF86Shop:1008ff36 XF86History:1008ff37 XF86OpenURL:1008ff38
  XF86AddFavorite:1008ff39 XF86HotLinks:1008ff3a XF86BrightnessAdjust:1008ff3b XF86Finance:1008ff3c
  XF86Community:1008ff3d XF86AudioRewind:1008ff3e XF86BackForward:1008ff3f XF86Launch0:1008ff40
  XF86Launch1:1008ff41 XF86Launch2:1008ff42 XF86Launch3:1008ff43 XF86Launch4:1008ff44
  XF86Launch5:1008ff45 XF86Launch6:1008ff46 XF86Launch7:1008ff47 XF86Launch8:1008ff48
  XF86Launch9:1008ff49 XF86LaunchA:1008ff4a XF86LaunchB:1008ff4b XF86LaunchC:1008ff4c
  XF86LaunchD:1008ff4d XF86LaunchE:1008ff4e XF86LaunchF:1008ff4f XF86ApplicationLeft:1008ff50
  XF86ApplicationRight:1008ff51 XF86Book:1008ff52 XF86CD:1008ff53 XF86Calculater:1008ff54
  XF86Clear:1008ff55 XF86Close:1008ff56 XF86Copy:1008ff57 XF86Cut:1008ff58 XF86Display:1008ff59
  XF86DOS:1008ff5a XF86Documents:1008ff5b XF86Excel:1008ff5c XF86Explorer:1008ff5d
  XF86Game:1008ff5e XF86Go:1008ff5f XF86iTouch:1008ff60 XF86LogOff:1008ff61 XF86Market:1008ff62
  XF86Meeting:1008ff63 XF86MenuKB:1008ff65 XF86MenuPB:1008ff66 XF86MySites:1008ff67
  XF86New:1008ff68 XF86News:1008ff69 XF86OfficeHome:1008ff6a XF86Open:1008ff6b XF86Option:1008ff6c
  XF86Paste:1008ff6d XF86Phone:1008ff6e XF86Q:1008ff70 XF86Reply:1008ff72 XF86Reload:1008ff73
  XF86RotateWindows:1008ff74 XF86RotationPB:1008ff75 XF86RotationKB:1008ff76 XF86Save:1008ff77
  XF86ScrollUp:1008ff78 XF86ScrollDown:1008ff79 XF86ScrollClick:1008ff7a XF86Send:1008ff7b
  XF86Spell:1008ff7c XF86SplitScreen:1008ff7d XF86Support:1008ff7e XF86TaskPane:1008ff7f
  XF86Terminal:1008ff80 XF86Tools:1008ff81 XF86Travel:1008ff82 XF86UserPB:1008ff84
  XF86User1KB:1008ff85 XF86User2KB:1008ff86 XF86Video:1008ff87 XF86WheelButton:1008ff88
  XF86Word:1008ff89 XF86Xfer:1008ff8a XF86ZoomIn:1008ff8b XF86ZoomOut:1008ff8c XF86Away:1008ff8d
  XF86Messenger:1008ff8e XF86WebCam:1008ff8f XF86MailForward:1008ff90 XF86Pictures:1008ff91
  XF86Music:1008ff92 XF86Battery:1008ff93 XF86Bluetooth:1008ff94 XF86WLAN:1008ff95 XF86UWB:1008ff96
  XF86AudioForward:1008ff97 XF86AudioRepeat:1008ff98 XF86AudioRandomPlay:1008ff99
  XF86Subtitle:1008ff9a XF86AudioCycleTrack:1008ff9b XF86CycleAngle:1008ff9c XF86FrameBack:1008ff9d
  XF86FrameForward:1008ff9e XF86Time:1008ff9f XF86Select:1008ffa0 XF86View:1008ffa1
  XF86TopMenu:1008ffa2 XF86Red:1008ffa3 XF86Green:1008ffa4 XF86Yellow:1008ffa5 XF86Blue:1008ffa6
  XF86Suspend:1008ffa7 XF86Hibernate:1008ffa8 XF86TouchpadToggle:1008ffa9 XF86TouchpadOn:1008ffb0
  XF86TouchpadOff:1008ffb1 XF86AudioMicMute:1008ffb2 XF86Keyboard:1008ffb3 XF86WWAN:1008ffb4
  XF86RFKill:1008ffb5 XF86AudioPreset:1008ffb6 XF86RotationLockToggle:1008ffb7
  XF86FullScreen:1008ffb8 XF86LogWindowTree:1008fe24`;

/** Every keysym that has a name here, as [name, number]; the preferred name of a number first. */
export const KEYSYMS: readonly (readonly [name: string, keysym: number])[] = [
  ...words(ASCII).map((name, index) => [name, 0x20 + index] as const),
  ...words(LATIN1).map((name, index) => [name, 0xa0 + index] as const),
  ...words(FUNCTION + MEDIA).map((entry) => {
    const [name = '', number = ''] = entry.split(':');
    return [name, Number.parseInt(number, 16)] as const;
  }),
];

function words(packed: string): string[] {
  return packed.trim().split(/\s+/);
}
