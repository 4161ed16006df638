# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions of manifests, kernels of a folder, and candidate configurations."""

import json
import pathlib
import stat
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lora_tile.candidates import OPS, Shape, candidates, suits
from lora_tile.errors import Error
from lora_tile.expressions import evaluate
from lora_tile.kernels import compile_jobs, jobs_for
from lora_tile.manifest import Kernel, load_folder
from lora_tile.mapping import IDLE, max_row_blocks, row_blocks

MANIFEST = {
    "kernel": "expand",
    "symbol": "expand",
    "target": "sm_90a",
    "types": {"W": "f16", "Y": "f16"},
    "config": {"BLOCK_M": 16, "MAX_RANK": 16, "ADD_INPUTS": 1, "Y_ALIGN": 8},
    "arguments": [{"name": "tokens", "type": "i32"}],
    "grid": ["ceildiv(tokens, BLOCK_M)", "slices", "max_loras + 1"],
    "assumptions": ["y_stride % Y_ALIGN == 0", "max_rank <= MAX_RANK"],
    "threads": 128,
}


class Expressions(unittest.TestCase):
    def test_values(self):
        names = {"a": 7, "B_1": 3}
        for text, value in [
            ("a * B_1 + 2", 23), ("a - 2 - 1", 4), ("2 + 3 * 4 % 5", 4), ("(a + 1) / B_1", 2),
            ("-a / 2", -3), ("-a % 3", -1), ("ceildiv(a, B_1) * 2", 6), ("min(a, max(1, 2))", 2),
            ("pow2ceil(a)", 8), ("pow2ceil(1)", 1), ("a == 7 && B_1 < 3 || !0", 1),
            ("a >= 7 && B_1 != 3", 0), ("!a", 0), ("1 + 1 == 2", 1),
        ]:  # fmt: skip
            with self.subTest(text):
                self.assertEqual(evaluate(text, names), value)

    def test_mistakes(self):
        for text, message in [
            ("a +", "expected a value, found the end"),
            ("b", "found 'b', expected one of a"),
            ("a a", "expected the end, found 'a'"),
            ("a $ 1", "unexpected character"),
            ("ceildiv(a)", "expected ',', found ')'"),
            ("a / 0", "division by zero"),
        ]:
            with self.subTest(text), self.assertRaisesRegex(Error, message.replace(")", r"\)")):
                evaluate(text, {"a": 1})


class Manifests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name="k", cubin=True, **changes):
        path = self.folder / f"{name}.json"
        fields = {**MANIFEST, **changes}
        path.write_text(json.dumps({k: v for k, v in fields.items() if v is not None}))
        if cubin:
            path.with_suffix(".cubin").write_bytes(b"")
        return path

    def test_grid_and_assumptions(self):
        kernel = Kernel(self.write())
        values = {"tokens": 33, "slices": 2, "max_loras": 4, "y_stride": 64, "max_rank": 16}
        self.assertEqual(kernel.grid(values), [3, 2, 5])
        self.assertIsNone(kernel.broken_assumption(values))
        broken = kernel.broken_assumption({**values, "max_rank": 32})
        self.assertEqual(broken, "max_rank <= MAX_RANK")
        self.assertEqual(kernel.text(), "BLOCK_M=16")

    def test_fits(self):
        kernel = Kernel(self.write())
        self.assertTrue(kernel.fits("expand", "f16", 8, True))
        for other in [("shrink", "f16", 16, True), ("expand", "bf16", 16, True),
                      ("expand", "f16", 32, True), ("expand", "f16", 16, False)]:  # fmt: skip
            self.assertFalse(kernel.fits(*other), other)

    def test_mistakes(self):
        with self.assertRaisesRegex(Error, "no such folder"):
            load_folder(self.folder / "none")
        with self.assertRaisesRegex(Error, "found no manifest"):
            load_folder(self.folder)
        self.write(cubin=False)
        with self.assertRaisesRegex(Error, "k.cubin: not found"):
            load_folder(self.folder)
        self.write(grid=None)
        with self.assertRaisesRegex(Error, "found no field 'grid'"):
            load_folder(self.folder)


class Mapping(unittest.TestCase):
    def test_row_blocks(self):
        self.assertEqual(
            row_blocks([(0, 17), (3, 16)], 16),
            [(0, 0, 16, 0), (0, 16, 17, 0), (3, 17, 33, 0)],
        )
        self.assertEqual(row_blocks([], 16), [])

    def test_idle_blocks_fill_up(self):
        self.assertEqual(row_blocks([(1, 16), (2, 16)], 16)[2:], [IDLE])
        for sizes in ((1,), (1, 1, 1), (16, 1, 33), (200, 3)):
            for block_m in (16, 64):
                blocks = row_blocks(list(enumerate(sizes)), block_m)
                self.assertEqual(len(blocks), max_row_blocks(sum(sizes), len(sizes), block_m))
                rows = [i for _, begin, end, _ in blocks for i in range(begin, end)]
                self.assertEqual(rows, list(range(sum(sizes))))

    def test_no_more_adapters_than_tokens(self):
        self.assertEqual(max_row_blocks(2, 100, 16), max_row_blocks(2, 2, 16))


class Candidates(unittest.TestCase):
    def test_some_suit_every_shape(self):
        for tokens in (1, 7, 16, 100, 1024, 8192, 65536):
            for adapters in (1, min(4, tokens), min(64, tokens)):
                for slices, hidden, width in ((1, 1024, 1024), (3, 4096, 4096), (1, 64, 256),
                                              (2, 16384, 512)):  # fmt: skip
                    shape = Shape(tokens, adapters, slices, hidden, width)
                    for op in OPS:
                        found = [c for c in candidates(op, 16) if suits(op, c, shape)]
                        self.assertTrue(found, (op, shape))
                        self.assertLess(len(found), 230, (op, shape))

    def test_tall_blocks_need_tokens(self):
        tall = [c for c in candidates("shrink", 16) if c["BLOCK_M"] == 64]
        self.assertFalse(any(suits("shrink", c, Shape(16, 4, 1, 4096, 4096)) for c in tall))

    def test_distinct_and_many(self):
        for rank in (8, 16, 64):
            for op in OPS:
                found = [tuple(config.items()) for config in candidates(op, rank)]
                self.assertEqual(len(found), len(set(found)))
                self.assertGreater(len(found), 5, (op, rank))

    def test_expand_without_adding(self):
        self.assertTrue(all(c["ADD_INPUTS"] == 0 for c in candidates("expand", 16, False)))

    def test_compile_sorts_out_what_is_refused(self):
        """A stand-in for lora-compile refuses 64 rows, and fails with 8 warps."""
        with tempfile.TemporaryDirectory() as folder:
            compiler = pathlib.Path(folder, "compiler")
            compiler.write_text(
                "#!/bin/sh\n"
                'case "$*" in\n'
                "*BLOCK_M=64*) echo 'kernel @expand requires BLOCK_M < 64' >&2; exit 1;;\n"
                "*WARPS=8*) echo 'ptxas failed' >&2; exit 1;;\n"
                "esac\n"
                'for last; do :; done; : > "$last"; : > "${last%.cubin}.json"\n'
            )
            compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
            jobs = jobs_for(["expand"], ["f16"], [16], True, folder)
            done, refused, failed = compile_jobs(jobs, compiler, "sm_90a", 2)
            self.assertEqual(len(done) + len(refused) + len(failed), len(jobs))
            self.assertTrue(all(job.config["BLOCK_M"] == 64 for job in refused))
            self.assertTrue(failed and all(message == "ptxas failed" for _, message in failed))
            self.assertTrue(done and all(job.is_newer_than(compiler) for job in done))

    def test_rows_that_are_no_multiples_of_8(self):
        for op, names in (("shrink", {"ALIGN"}), ("expand", {"Y_ALIGN"}),
                          ("shrink_expand", {"ALIGN", "Y_ALIGN"})):  # fmt: skip
            config = jobs_for([op], ["f16"], [16], True, "", align=2)[0].config
            self.assertEqual({name: config[name] for name in names}, dict.fromkeys(names, 2))
            self.assertFalse(names & set(jobs_for([op], ["f16"], [16], True, "")[0].config))

    def test_only_unaligned_rows_get_unaligned_kernels(self):
        configs = [job.config for job in jobs_for(["shrink"], ["f16"], [16], True, "", align=1)]
        self.assertTrue(any(suits("shrink", c, Shape(16, 4, 1, 2049, 2049)) for c in configs))
        self.assertFalse(any(suits("shrink", c, Shape(16, 4, 1, 2048, 2048)) for c in configs))


if __name__ == "__main__":
    unittest.main()
