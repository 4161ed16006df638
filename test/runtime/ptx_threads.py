# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one cluster of a PTX kernel in Python, thread by thread: the instructions that
kernels/map_tokens*.ptx use, on words of 32 bits.

Global and shared memory are dictionaries from an address to a word. An access to anything else, a
read of shared memory that nobody wrote, one of a block that has ended, a misaligned access, and lanes
that do not meet at the same warp-wide instruction end the run with an error. Lanes, warps and blocks
take turns in random order.
"""

import random
import re

WORD = (1 << 32) - 1
DOUBLE = (1 << 64) - 1
# Generic addresses of shared memory begin here.
SHARED_WINDOW = 1 << 40
# The shared memory of each block of a cluster begins at a multiple of this.
CLUSTER_WINDOW = 1 << 24
# What a register holds that nothing was assigned to.
UNDEFINED = 0x5A5A5A5A

COMPARE = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}
ARITHMETIC = {
    "add": lambda x, y, z: x + y,
    "sub": lambda x, y, z: x - y,
    "mul": lambda x, y, z: x * y,
    "mad": lambda x, y, z: x * y + z,
    "and": lambda x, y, z: x & y,
    "shl": lambda x, y, z: x << y,
    "shr": lambda x, y, z: x >> y,
    "min": lambda x, y, z: min(x, y),
}


def signed(word):
    return word - (1 << 32) if word >> 31 else word


class Kernel:
    """The instructions of the only entry of a PTX file."""

    def __init__(self, text):
        text = re.sub(r"//.*", "", text)
        self.parameters = re.findall(r"\.param \.u\d+ (\w+)", text)
        self.instructions = []
        self.labels = {}
        body = text[text.index("{", text.index(".maxntid")) + 1 : text.rindex("}")]
        for statement in re.split(r";|(?<=:)\n", body):
            self._add(statement.strip())

    def _add(self, statement):
        label = re.fullmatch(r"(\w+):", statement)
        if label:
            self.labels[label.group(1)] = len(self.instructions)
        elif statement and not statement.startswith(".reg"):
            guard, operation, operands = re.fullmatch(
                r"(?:@(!?%\w+)\s+)?(\S+)\s*(.*)", statement, re.DOTALL
            ).groups()
            operands = re.findall(r"\{[^}]*\}|[^,\s]+", operands)
            self.instructions.append((guard, operation.split("."), operands))


class Block:
    """A block of a cluster, with threads that can be resumed."""

    def __init__(self, kernel, arguments, memory, threads, shared_bytes, source, cluster, rank):
        self.kernel = kernel
        self.arguments = dict(zip(kernel.parameters, arguments))
        self.memory = memory
        self.shared = {}
        self.cluster = cluster
        self.rank = rank
        # Where the arrays in shared memory begin: the dynamic one first.
        self.symbols = {"words": 0, "bad_count": shared_bytes, "sums": shared_bytes + 4}
        self.shared_bytes = shared_bytes + 4 + 640
        self.random = source
        self.threads = [self._thread(i) for i in range(threads)]
        # What each warp waits for; those that wait for nothing are not here.
        self.waits = {}

    def _place(self, space, address):
        assert address % 4 == 0, f"misaligned: {address:#x}"
        if space == "generic" and address >= SHARED_WINDOW:
            space, address = "shared", address - SHARED_WINDOW
        if space == "cluster":
            block = self.cluster[address // CLUSTER_WINDOW]
            assert not block.has_ended(), f"block {block.rank} has ended"
            return block._place("shared", address % CLUSTER_WINDOW)
        if space == "shared":
            assert address < self.shared_bytes, f"outside of shared memory: {address:#x}"
            return self.shared, address
        assert address in self.memory, f"outside of all buffers: {address:#x}"
        return self.memory, address

    def _thread(self, number):
        """A generator that stops at what needs other threads, and is sent the result."""
        registers = {
            "%tid.x": number,
            "%ntid.x": len(self.threads),
            "%cluster_ctarank": self.rank,
            "%lanemask_lt": (1 << number % 32) - 1,
            "%lanemask_eq": 1 << number % 32,
        }
        instructions, labels = self.kernel.instructions, self.kernel.labels
        at = 0

        def value(operand):
            if operand.startswith("%"):
                return registers.get(operand, UNDEFINED)
            return self.symbols[operand] if operand in self.symbols else int(operand, 0)

        def address(operand):
            base, _, offset = operand.strip("[]").partition("+")
            return value(base) + int(offset or 0)

        while True:
            guard, operation, operands = instructions[at]
            at += 1
            if guard and registers[guard.lstrip("!")] == guard.startswith("!"):
                continue
            name = operation[0]
            space = "generic"
            if operation[1:2] in (["shared"], ["global"], ["shared::cluster"]):
                space = operation[1].removeprefix("shared::")
            if name == "ret":
                return
            if name == "bra":
                at = labels[operands[0]]
            elif name == "bar":
                yield "bar", at
            elif name == "barrier":
                yield operation[2], at
            elif name == "mapa":
                registers[operands[0]] = value(operands[2]) * CLUSTER_WINDOW + value(operands[1])
            elif name == "vote":
                registers[operands[0]] = yield "ballot", at, registers[operands[1]]
            elif name == "ld" and operation[1] == "param":
                registers[operands[0]] = self.arguments[operands[1].strip("[]")]
            elif name == "ld":
                memory, place = self._place(space, address(operands[1]))
                registers[operands[0]] = memory[place]
            elif name == "st":
                words = operands[1].strip("{}").split(",")
                assert address(operands[0]) % (4 * len(words)) == 0, "misaligned vector"
                for i, word in enumerate(words):
                    memory, place = self._place(space, address(operands[0]) + 4 * i)
                    memory[place] = value(word.strip()) & WORD
            elif name in ("atom", "red"):
                memory, place = self._place(space, address(operands[-2]))
                if name == "atom":
                    registers[operands[0]] = memory[place]
                memory[place] = (memory[place] + value(operands[-1])) & WORD
            elif name in ("match", "redux"):
                registers[operands[0]] = yield name, at, value(operands[1])
            elif name == "shfl":
                result, _, found = operands[0].partition("|")
                registers[result], registers[found] = yield (
                    operation[2], at, value(operands[1]), value(operands[2]))
            elif name == "cvta":
                window = SHARED_WINDOW if operation[1] == "shared" else 0
                registers[operands[0]] = value(operands[1]) + window
            elif name in ("mov", "cvt"):
                registers[operands[0]] = value(operands[1]) & (DOUBLE if name == "cvt" else WORD)
            elif name == "popc":
                registers[operands[0]] = bin(value(operands[1])).count("1")
            elif name == "brev":
                registers[operands[0]] = int(f"{value(operands[1]):032b}"[::-1], 2)
            elif name == "clz":
                registers[operands[0]] = 32 - value(operands[1]).bit_length()
            elif name == "selp":
                registers[operands[0]] = value(operands[1 if registers[operands[3]] else 2])
                registers[operands[0]] &= DOUBLE if operation[-1] == "b64" else WORD
            elif name == "setp":
                left, right = (value(operand) & WORD for operand in operands[1:3])
                if operation[-1] == "s32":
                    left, right = signed(left), signed(right)
                holds = COMPARE[operation[1]](left, right)
                registers[operands[0]] = holds and (len(operands) < 4 or registers[operands[3]])
            else:
                x, y, *rest = (value(operand) for operand in operands[1:])
                wide = operation[-1] in ("s64", "u64") or operation[1] == "wide"
                result = ARITHMETIC[name](x, y, rest[0] if rest else 0)
                registers[operands[0]] = result & (DOUBLE if wide else WORD)

    @staticmethod
    def _exchange(kind, lanes):
        """What each lane of a warp gets from a warp-wide instruction."""
        values = [lane[2] for lane in lanes]
        if kind == "match":
            return [sum(1 << j for j in range(32) if values[j] == v) for v in values]
        if kind == "ballot":
            return [sum(1 << j for j in range(32) if values[j])] * 32
        if kind == "redux":
            return [sum(values) & WORD] * 32
        if kind == "idx":
            return [(values[lane[3] % 32], True) for lane in lanes]
        return [
            (values[i - lane[3]], True) if i >= lane[3] else (values[i], False)
            for i, lane in enumerate(lanes)
        ]

    def run_warp(self, warp):
        """Runs a warp up to a barrier or its end, and returns which of them."""
        threads = self.threads[32 * warp : 32 * warp + 32]
        sent = [None] * 32
        while True:
            stops = [None] * 32
            for lane in self.random.sample(range(32), 32):
                try:
                    stops[lane] = threads[lane].send(sent[lane])
                except StopIteration:
                    stops[lane] = ("ret", 0)
            assert len({stop[:2] for stop in stops}) == 1, f"warp {warp} diverges: {stops}"
            kind = stops[0][0]
            if kind in ("bar", "arrive", "wait", "ret"):
                return kind
            sent = self._exchange(kind, stops)

    def warps(self):
        return range(len(self.threads) // 32)

    def has_ended(self):
        return all(self.waits.get(warp) == "ret" for warp in self.warps())


def run(kernel, arguments, memory, threads, shared_bytes, seed, blocks=1):
    """Runs a cluster of so many blocks until all its threads have returned."""
    source = random.Random(seed)
    cluster = []
    for rank in range(blocks):
        cluster.append(
            Block(kernel, arguments, memory, threads, shared_bytes, source, cluster, rank)
        )
    warps = [(block, warp) for block in cluster for warp in block.warps()]
    # How often each warp has arrived at, and waited for, the barrier of the cluster.
    arrived, waited = dict.fromkeys(warps, 0), dict.fromkeys(warps, 0)

    def is_ready(block, warp):
        wait = block.waits.get(warp)
        if wait == "bar":
            return all(block.waits.get(other) == "bar" for other in block.warps())
        if wait == "wait":
            return all(count > waited[block, warp] for count in arrived.values())
        return wait is None

    while not all(block.has_ended() for block in cluster):
        ready = [item for item in warps if is_ready(*item)]
        assert ready, "some warps never reach a barrier"
        for block, warp in ready:
            if block.waits.pop(warp, None) == "wait":
                waited[block, warp] += 1
        for block, warp in source.sample(ready, len(ready)):
            kind = block.run_warp(warp)
            while kind == "arrive":
                arrived[block, warp] += 1
                kind = block.run_warp(warp)
            block.waits[warp] = kind
