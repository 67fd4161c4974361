"""Prints the wallpaper for a screen of the given height, as a narrow BMP that Wine tiles.

Wine neither scales a wallpaper nor reads other formats. A strip of the screen's height fits any width.
"""
import struct
import sys

TOP, BOTTOM = (0x1B, 0x8A, 0xB8), (0x0B, 0x2F, 0x66)
WIDTH = 64

height = int(sys.argv[1])
rows = []
for y in reversed(range(height)):
    share = y / max(1, height - 1)
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(TOP, BOTTOM))
    rows.append(bytes((blue, green, red)) * WIDTH)
pixels = b''.join(rows)
header = struct.pack('<2sIII', b'BM', 54 + len(pixels), 0, 54)
info = struct.pack('<IiiHHIIiiII', 40, WIDTH, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0)
sys.stdout.buffer.write(header + info + pixels)
