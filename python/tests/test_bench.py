# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases, models, results, the report and the comparison, and the command line without a GPU."""

import contextlib
import csv
import dataclasses
import html.parser
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lora_tile.bench import cli, report, results
from lora_tile.bench.cases import Case, pool_size
from lora_tile.bench.compare import changes
from lora_tile.bench.models import find_model
from lora_tile.errors import Error


def run(*arguments):
    """Exit status, standard output and standard error of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main([str(argument) for argument in arguments])
    return status, out.getvalue(), err.getvalue()


def cases_of(*arguments):
    return cli.make_cases(cli.make_parser().parse_args(list(arguments)))


def small_case(**changes):
    fields = dict(
        ops=("shrink", "expand", "pair"), batch=16, seq_length=1, hidden=1024, widths=(1024,),
        rank=16, num_loras=4, active=4,
    )  # fmt: skip
    return Case(**{**fields, **changes})


def make_document(us=4.0, spread=0.02):
    rows = []
    for tokens in (16, 256):
        case = small_case(batch=tokens)
        found = []
        for op in case.ops:
            for factor, impl in ((1, "lora-tile"), (2, "triton-tuned"), (3, "triton-default")):
                time = us * factor
                low, high = time * (1 - spread), time * (1 + spread)
                found.append({"op": op, "impl": impl, "us": time, "low": low, "high": high,
                              "config": "BLOCK_M=16", "candidates": 3, "error": 1e-4})  # fmt: skip
        found.append({"op": "pair", "impl": "lora-tile-two", "failed": "too <bad>"})
        rows.append({
            "key": case.key(), "case": json.loads(json.dumps(dataclasses.asdict(case))),
            "bytes": {op: case.bytes_of(op) for op in case.ops},
            "flops": {op: case.flops_of(op) for op in case.ops}, "results": found,
        })  # fmt: skip
    return {
        "format": 1, "date": "2026-01-01", "device": {"name": "Some GPU"}, "versions": {},
        "method": {"calls_in_graph": 32, "replays": 15}, "copy_bytes_per_second": 4e12,
        "rows": rows,
    }  # fmt: skip


class Cases(unittest.TestCase):
    def test_bytes_and_flops(self):
        case = small_case()
        x, a, s = 16 * 1024 * 2, 4 * 16 * 1024 * 2, 16 * 16 * 4
        self.assertEqual(case.bytes_of("shrink"), x + a + s)
        self.assertEqual(case.bytes_of("expand"), s + a + 2 * x)
        self.assertEqual(case.bytes_of("pair"), x + a + a + 2 * x)
        self.assertEqual(case.flops_of("pair"), 2 * case.flops_of("shrink"))
        over = dataclasses.replace(case, add_inputs=False)
        self.assertEqual(case.bytes_of("expand") - over.bytes_of("expand"), x)

    def test_slices_and_tokens_without_adapter(self):
        case = small_case(widths=(512, 128, 128), no_lora_fraction=0.5, batch=2)
        self.assertEqual(case.with_lora(), 1)
        self.assertEqual(case.reached(), 1)
        self.assertEqual(case.bytes_of("expand"), 1 * 3 * 16 * 4 + 768 * 16 * 2 + 768 * 2 * 2)

    def test_pool(self):
        self.assertEqual(pool_size(small_case(), 32), 32)
        self.assertEqual(pool_size(small_case(batch=65536, hidden=16384, widths=(16384,)), 32), 2)
        self.assertEqual(pool_size(small_case(), 1), 2)

    def test_list(self):
        cases = cases_of("list_bench", "--batch-sizes", "1", "16", "--seq-lengths", "1", "8",
                         "--hidden-sizes", "1024", "2048", "--num-slices", "1", "3")  # fmt: skip
        self.assertEqual(len(cases), 16)
        self.assertEqual(len({case.key() for case in cases}), 16)
        self.assertEqual({case.tokens for case in cases}, {1, 8, 16, 128})
        self.assertEqual({case.widths for case in cases if case.hidden == 1024},
                         {(1024,), (1024,) * 3})  # fmt: skip

    def test_range(self):
        cases = cases_of(
            "range_bench", "--batch-sizes", "1", "--hidden-sizes-start", "1024",
            "--hidden-sizes-end", "3072", "--hidden-sizes-increment", "1024",
            "--lora-ranks-start", "8", "--lora-ranks-end", "20", "--lora-ranks-increment", "8",
        )  # fmt: skip
        self.assertEqual(sorted({case.hidden for case in cases}), [1024, 2048, 3072])
        self.assertEqual(sorted({case.rank for case in cases}), [8, 16])

    def test_older_op_types(self):
        cases = cases_of("list_bench", "--batch-sizes", "4", "--hidden-sizes", "1024", "--op-types",
                         "bgmv_shrink", "bgmv_expand_slice", "sgmv_expand")  # fmt: skip
        found = {(case.ops, case.sort, case.offset) for case in cases}
        expected = {(("shrink",), False, 0), (("expand",), False, 1024), (("expand",), True, 0)}
        self.assertEqual(found, expected)

    def test_same_case_is_measured_once(self):
        cases = cases_of("list_bench", "--batch-sizes", "4", "--hidden-sizes", "1024", "--op-types",
                         "sgmv_shrink", "lora_expand")  # fmt: skip
        self.assertEqual([case.ops for case in cases], [("shrink", "expand")])


class Models(unittest.TestCase):
    def test_tensor_parallelism(self):
        model = find_model("Meta-Llama-3-8B")
        self.assertEqual(model.projections()[0], ("qkv", 4096, (4096, 1024, 1024)))
        parts = {name: (hidden, widths) for name, hidden, widths in model.projections(16)}
        self.assertEqual(parts["qkv"], (4096, (256, 128, 128)))
        self.assertEqual(parts["down"], (896, (4096,)))
        with self.assertRaisesRegex(Error, "--tp-sizes 3"):
            model.projections(3)

    def test_config_and_adapter(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "config.json")
            path.write_text(json.dumps({
                "hidden_size": 512, "intermediate_size": 1024, "num_attention_heads": 8,
                "num_key_value_heads": 2, "num_hidden_layers": 3,
            }))  # fmt: skip
            self.assertEqual(find_model(folder).projections()[0], ("qkv", 512, (512, 128, 128)))
            pathlib.Path(folder, "adapter_config.json").write_text(
                json.dumps({"r": 24, "target_modules": ["q_proj", "down_proj"]})
            )
            cases = cases_of("model_bench", "--models", folder, "--adapter", folder,
                             "--batch-sizes", "2")  # fmt: skip
            self.assertEqual({case.rank for case in cases}, {24})
            self.assertEqual([case.label.split()[-1] for case in cases], ["qkv", "down"])
            path.write_text('{"hidden_size": 0}')
            with self.assertRaisesRegex(Error, "num_attention_heads: found None"):
                find_model(folder)


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def save(self, document, name="run.json"):
        results.save(self.folder / name, document)
        return self.folder / name

    def test_table(self):
        lines = results.table(make_document()).splitlines()
        self.assertEqual(len(lines), 7)
        pair = lines[3].split()
        self.assertEqual(pair[:8], ["-", "16", "1024->1024", "16", "4", "pair", "4.00", "-"])
        self.assertIn("FAILED: lora-tile-two: too <bad>", lines[3])
        self.assertIn("2.00", pair)

    def test_layer(self):
        document = make_document()
        row = document["rows"][0]
        row["case"]["ops"] = ["pair", "layer"]
        row["bytes"]["layer"] = row["bytes"]["pair"]
        row["flops"]["layer"] = row["flops"]["pair"]
        row["results"].append({"op": "layer", "impl": "lora-tile", "us": 2.0, "low": 1.9,
                               "high": 2.1, "gemms_us": 20.5, "layer_us": 22.5})  # fmt: skip
        head, pair, layer = (line.split() for line in results.table(document).splitlines()[:3])
        column = head.index("gemms")
        self.assertEqual((pair[column], layer[column]), ("-", "20.50"))
        self.assertEqual(layer[5:7], ["layer", "2.00"])
        self.assertNotIn("gemms", results.table(make_document()))
        self.assertIn(">gemms</th>", report.page([document], plots=False))
        results.save_csv(self.folder / "layer.csv", document)
        with open(self.folder / "layer.csv") as file:
            lines = [line for line in csv.DictReader(file) if line["op"] == "layer"]
        self.assertEqual([(line["us"], line["layer_us"]) for line in lines], [("2.0", "22.5")])

    def test_csv(self):
        path = self.folder / "run.csv"
        results.save_csv(path, make_document())
        with open(path) as file:
            lines = list(csv.DictReader(file))
        self.assertEqual(len(lines), 20)
        self.assertEqual(lines[0]["tokens"], "16")
        self.assertAlmostEqual(float(lines[0]["floor_us"]), 0.04122, 4)

    def test_no_document(self):
        (self.folder / "other.json").write_text('{"format": 2}')
        for name in ("none.json", "other.json"):
            with self.assertRaisesRegex(Error, f"{name}: expected the JSON of a run"):
                results.load(self.folder / name)

    def test_compare(self):
        old = self.save(make_document(), "old.json")
        status, out, _ = run("compare", old, old)
        self.assertEqual((status, out), (0, "6 results compared, 0 changed, 0 regressions\n"))
        slower = self.save(make_document(us=4.4), "slower.json")
        status, out, _ = run("compare", old, slower)
        self.assertEqual(status, 1)
        self.assertIn("slower  +10.0%  4.00 -> 4.40 us  shrink lora-tile  batch=16", out)
        self.assertEqual(run("compare", slower, old)[0], 0)
        self.assertEqual(run("compare", old, slower, "--tolerance", "0.2")[0], 0)

    def test_compare_within_the_spread(self):
        found, _ = changes(make_document(spread=0.06), make_document(4.4, 0.06), 0.03)
        self.assertEqual(found, [])

    def test_compare_failed_and_gone(self):
        old, new = make_document(), make_document()
        new["rows"][0]["results"][0] = {"op": "shrink", "impl": "lora-tile", "failed": "wrong"}
        del new["rows"][1]["results"][0]
        kinds = [change.kind for change in changes(old, new, 0.03, results.OURS)[0]]
        self.assertEqual(kinds, ["failed", "gone"])

    def test_compare_of_different_cases(self):
        other = make_document()
        for row in other["rows"]:
            row["key"] += "x"
        status, _, err = run("compare", self.save(make_document()), self.save(other, "b.json"))
        self.assertEqual((status, err.count("\n")), (1, 1))

    def check_page(self, text):
        """Well-formed, and without anything from elsewhere."""
        tags = []

        class Checker(html.parser.HTMLParser):
            def handle_starttag(self, tag, attributes):
                tags.append(tag)
                for name, value in attributes:
                    if name in ("src", "href", "xlink:href"):
                        assert value.startswith(("#", "data:")), (tag, name, value[:40])

        Checker().feed(text)
        self.assertIn("Some GPU", text)
        self.assertIn("too &lt;bad&gt;", text)
        self.assertNotIn("<bad>", text)
        self.assertNotIn("@import", text)
        return tags

    def test_report_without_plots(self):
        page = self.folder / "page.html"
        status, _, err = run("report", self.save(make_document()), "-o", page, "--no-plots")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(self.check_page(page.read_text()).count("tr"), 7)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")
    def test_report_with_plots(self):
        tags = self.check_page(report.page([make_document()]))
        self.assertEqual(tags.count("svg"), 6)

    @unittest.skipIf(importlib.util.find_spec("matplotlib"), "needs a machine without matplotlib")
    def test_report_asks_for_matplotlib(self):
        status, _, err = run("report", self.save(make_document()), "-o", self.folder / "page.html")
        self.assertEqual(status, 1)
        self.assertIn("'matplotlib'", err)


class CommandLine(unittest.TestCase):
    def test_dry_run(self):
        status, out, err = run("list_bench", "--dry-run", "--batch-sizes", "16", "--hidden-sizes",
                               "1024", "--bandwidth", "4")  # fmt: skip
        self.assertEqual((status, err), (0, ""))
        lines = out.splitlines()
        self.assertEqual(len(lines), 5)
        self.assertEqual(lines[1].split()[5:], ["shrink", "0.165", "0.52", "0.041"])

    def test_dry_run_of_layers(self):
        status, out, err = run("layer_bench", "--dry-run", "--batch-sizes", "16", "--hidden-sizes",
                               "1024", "4096", "--num-loras", "4", "--dtype", "bf16")  # fmt: skip
        self.assertEqual((status, err), (0, ""))
        lines = [line.split() for line in out.splitlines()]
        self.assertEqual([line[5] for line in lines[1:5]], ["pair", "layer"] * 2)
        self.assertEqual(lines[1][6:], lines[2][6:])

    def test_mistakes_are_one_line(self):
        for arguments, message in [
            (["list_bench", "--op-types", "lora_shirnk"], "found 'lora_shirnk', expected one of"),
            (["list_bench", "--dtype", "f8"], "invalid choice: 'f8'"),
            (["list_bench", "--lora-ranks", "1024"], "rank 1024: expected at most 512"),
            (["list_bench", "--batch-sizes", "0"], "batch 0: expected at least 1"),
            (["list_bench", "--num-active-loras", "5"], "expected at most --num-loras 4"),
            (["list_bench", "--no-lora-fraction", "1"], "expected 0 or more, below 1"),
            (["list_bench", "--num-slices", "0"], "--num-slices: expected at least 1"),
            (["list_bench", "--arg-pool-size", "0"], "--arg-pool-size 0: expected 1 or more"),
            (["list_bench", "--op-types", "bgmv_shrink", "--seq-lengths", "2"], "one token a requ"),
            (["range_bench", "--hidden-sizes-end", "1"], "--hidden-sizes-start 1024 -end 1"),
            (["model_bench", "--models", "gpt-0"], "--models gpt-0: expected a config.json"),
            (["model_bench", "--models", "Qwen3-32B", "--tp-sizes", "7"], "--tp-sizes 7"),
            (["model_bench"], "--models"),
            (["layer_bench", "--lora-ranks", "1024"], "rank 1024: expected at most 512"),
            (["layer_bench", "--op-types", "lora_shrink"], "unrecognized arguments: --op-types"),
            (["model_pass", "--dry-run"], "model_pass has none, expected another mode"),
            (["nonsense"], "invalid choice"),
            (["compare", "none.json", "none.json"], "none.json: expected the JSON of a run"),
        ]:
            with self.subTest(arguments):
                status, out, err = run(*arguments)
                self.assertEqual((status, out), (1, ""))
                self.assertEqual(err.count("\n"), 1, err)
                self.assertIn(message, err)

    @unittest.skipIf(importlib.util.find_spec("torch"), "needs a machine without torch")
    def test_without_torch(self):
        status, _, err = run("list_bench")
        self.assertEqual(status, 1)
        self.assertRegex(err, "found no Python package '.*', expected torch")


if __name__ == "__main__":
    unittest.main()
