# SPDX-License-Identifier: GPL-2.0-or-later
"""Changes the last byte of the arguments and environment in a save's file run: damage that no
checksum tells of.  Usage: orders.py FILE"""
import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(sys.argv[0]), "../format"))
from reader import ZSTD, unpack, xxh64  # noqa: E402

data = open(sys.argv[1], "rb").read()
written, at, seed = data[:96], 96, struct.unpack_from("<Q", data, 88)[0]
while at < len(data):
    kind, packing, size, stored = struct.unpack_from("<IIQQ", data, at)
    rest, contents = data[at + 24:at + 48], data[at + 64:at + 64 + stored]
    at += 64 + stored
    if rest.startswith(b"launch"):
        if packing == ZSTD:
            contents = unpack(contents, size)
        contents = contents[:-1] + b"x"
        packing, stored = 0, size
    header = struct.pack("<IIQQ", kind, packing, size, stored) + rest
    header += struct.pack("<Q", xxh64(contents, 0))
    seed = xxh64(header, seed)
    written += header + struct.pack("<Q", seed) + contents
open(sys.argv[1], "wb").write(written)
