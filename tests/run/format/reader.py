# SPDX-License-Identifier: GPL-2.0-or-later
"""reader.py FILE... - a second reader of checkpoints, made from monitor/file/README.md alone.

Prints the last file's head, each named section, and the memory that it says: address, size,
time-stamp, node and bytes of each stretch; of an increment also what is as before, which the files
in front of it have, if they are given.  What does not fit the description is an error.
"""
import ctypes
import struct
import sys

MAGIC = bytes.fromhex("89434b500d0a1a0a")
MASK = (1 << 64) - 1
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
          0x27D4EB2F165667C5)
MEMORY, RUNS, OPERANDS, NAMED, END = range(1, 6)
PLAIN, ZSTD, ZEROS, SAME = range(4)
INCREMENT = 2


def rotate(value, bits):
    return ((value << bits) | (value >> (64 - bits))) & MASK


def xxh64_round(lane, value):
    return rotate((lane + value * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data, seed):
    """XXH64, from its specification."""
    at = 0
    if len(data) >= 32:
        lanes = [(seed + PRIMES[0] + PRIMES[1]) & MASK, (seed + PRIMES[1]) & MASK, seed,
                 (seed - PRIMES[0]) & MASK]
        while at + 32 <= len(data):
            values = struct.unpack_from("<4Q", data, at)
            lanes = [xxh64_round(lane, value) for lane, value in zip(lanes, values)]
            at += 32
        total = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            total = ((total ^ xxh64_round(0, lane)) * PRIMES[0] + PRIMES[3]) & MASK
    else:
        total = (seed + PRIMES[4]) & MASK
    total = (total + len(data)) & MASK
    while at + 8 <= len(data):
        total ^= xxh64_round(0, struct.unpack_from("<Q", data, at)[0])
        total = (rotate(total, 27) * PRIMES[0] + PRIMES[3]) & MASK
        at += 8
    if at + 4 <= len(data):
        total ^= struct.unpack_from("<I", data, at)[0] * PRIMES[0] & MASK
        total = (rotate(total, 23) * PRIMES[1] + PRIMES[2]) & MASK
        at += 4
    for byte in data[at:]:
        total = rotate(total ^ (byte * PRIMES[4] & MASK), 11) * PRIMES[0] & MASK
    total = (total ^ total >> 33) * PRIMES[1] & MASK
    total = (total ^ total >> 29) * PRIMES[2] & MASK
    return total ^ total >> 32


def unpack(stored, size):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                        ctypes.c_size_t]
    contents = ctypes.create_string_buffer(size)
    assert library.ZSTD_decompress(contents, size, stored, len(stored)) == size
    return contents.raw


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def compact(data, page):
    """(address, bytes) of each run; see libcape/paper/encode.h."""
    size, at = varint(data, 0)
    end, place, runs = at + size, 0, []
    while at < end:
        gap, at = varint(data, at)
        length, at = varint(data, at)
        if length:
            runs.append((place + gap, length))
            place += gap + length
            continue
        place = place // page * page + gap * page
        for word in range(page // 4):
            if data[at + word // 8] >> word % 8 & 1:
                runs.append((place + 4 * word, 4))
        at += page // 32
        place += page
    for address, length in runs:
        yield address, data[at:at + length]
        at += length
    assert at == len(data)


def read(data):
    """The head's numbers, the identity, and (kind, name, number, address, stamp, contents) of each
    section; contents that are as before are their size."""
    head = struct.unpack_from("<8sIIQQIIIIQQQQQQ", data)
    magic, version, size, needed, _, *numbers, zero, checksum = head
    assert (magic, version, size, zero) == (MAGIC, 1, 96, 0) and needed <= 3
    assert checksum == xxh64(data[:88], 0)
    at, seed, sections = size, checksum, []
    while True:
        header = data[at:at + 64]
        kind, packing, size, stored = struct.unpack_from("<IIQQ", header)
        address, time, node, zero, contents_sum, checksum = \
            struct.unpack_from("<QQIIQQ", header, 24)
        bytes_stored = data[at + 64:at + 64 + stored]
        assert zero == 0 and len(bytes_stored) == stored
        assert xxh64(header[:56], seed) == checksum and xxh64(bytes_stored, 0) == contents_sum
        at, seed = at + 64 + stored, checksum
        if kind == END:
            assert address == len(sections) and at == len(data)
            return numbers, checksum, sections
        if packing == SAME:
            assert (kind, stored) == (MEMORY, 0) and needed & 2
            assert numbers[0] == INCREMENT and numbers[-1]
            sections.append((kind, "", node, address, (time, node), size))
            continue
        contents = (bytes_stored, None, bytes(size))[packing] if packing != ZSTD else \
            unpack(bytes_stored, size)
        assert len(contents) == size
        name = header[24:40].rstrip(b"\0").decode() if kind == NAMED else ""
        sections.append((kind, name, node, address, (time, node), contents))


def memory_of(sections, page):
    """{address: (stamp, byte)}; the later time-stamp counts."""
    memory = {}
    for kind, _, _, address, stamp, contents in sections:
        if kind not in (MEMORY, RUNS) or isinstance(contents, int):
            continue
        for start, run in [(address, contents)] if kind == MEMORY else compact(contents, page):
            for i, byte in enumerate(run):
                memory[start + i] = max(memory.get(start + i, (stamp, byte)), (stamp, byte),
                                        key=lambda element: element[0])
    return memory


def stretches(memory):
    found = []
    for address in sorted(memory):
        stamp, byte = memory[address]
        if found and found[-1][0] + len(found[-1][2]) == address and found[-1][1] == stamp:
            found[-1][2].append(byte)
        else:
            found.append((address, stamp, bytearray([byte])))
    return found


def as_before(sections):
    return [(address, contents) for _, _, _, address, _, contents in sections
            if isinstance(contents, int)]


def main():
    before = memory = identity = None
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            before, previous = memory, identity
            numbers, identity, sections = read(file.read())
        memory = memory_of(sections, numbers[3])
        if before is not None:
            assert numbers[-1] == previous
            for start, size in as_before(sections):
                memory.update((at, before[at]) for at in range(start, start + size))
    print("head", *numbers)
    for kind, name, number, address, _, contents in sections:
        if isinstance(contents, int):
            print("same", address, contents)
        elif kind == NAMED:
            print("named", name, number, contents.hex())
        elif kind == OPERANDS:
            print("operands", contents.hex())
    for address, (time, node), run in stretches(memory):
        print("memory", address, len(run), time, node, run.hex())


if __name__ == "__main__":
    main()
