# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which candidates are checked, timed and chosen, without a GPU or the packages for one."""

import importlib
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from lora_tile.bench.cases import Case
from lora_tile.errors import Error

GPU_MODULES = (
    "torch", "triton", "triton.language", "triton.runtime", "triton.runtime.errors", "cuda",
    "cuda.bindings", "numpy",
)  # fmt: skip
OURS = ("arguments", "clock", "launch", "layer", "measure", "model_pass", "triton_v1", "vllm_ops")


class OutOfResources(Exception):
    """What Triton raises for a configuration that does not fit."""


def import_modules():
    """measure, model_pass and layer, over stand-ins for the packages that need a GPU, which are
    left out again."""
    names = [f"lora_tile.bench.{name}" for name in OURS]
    kept = {name: sys.modules.pop(name, None) for name in names}
    stand_ins = {name: mock.MagicMock() for name in GPU_MODULES}
    stand_ins["triton.runtime.errors"].OutOfResources = OutOfResources
    stand_ins["triton"].next_power_of_2 = lambda n: 1 << (n - 1).bit_length()
    stand_ins["triton"].cdiv = lambda a, b: -(-a // b)
    stand_ins["torch"].cuda.get_device_capability = lambda: (9, 0)
    with mock.patch.dict(sys.modules, stand_ins):
        modules = [
            importlib.import_module(f"lora_tile.bench.{name}")
            for name in ("measure", "model_pass", "layer")
        ]
    for name in names:
        sys.modules.pop(name, None)
        if kept[name]:
            sys.modules[name] = kept[name]
    return modules


class Call:
    """A bound call, which knows how long it takes: 14, slow alone, is the fastest by far where
    launches overlap."""

    def __init__(self, us, arguments, dependent):
        self.us = us if not dependent else 0.5 if us == 14 else 0.9 * us
        self.arguments = arguments

    def __call__(self, handle):
        handle.took(self.us)


class Handle:
    """A stream that knows how long what was launched on it takes."""

    def __init__(self):
        self.us = 0

    def took(self, us):
        self.us += us


class FakeClock:
    """Takes the times from the calls, and counts the measurements of each kind."""

    def __init__(self):
        self.quick, self.again, self.full = 0, 0, 0
        self.calls_in_graph, self.replays = 32, 5
        self.turns = []

    def rough(self, calls, replays=1):
        if replays == 1:
            self.quick += 1
        else:
            self.again += 1
        return calls[0].us if isinstance(calls[0], Call) else 50.0

    def in_turns(self, lists, count, replays):
        self.turns.append((len(lists), count, replays))
        times = []
        for calls in lists:
            handle = Handle()
            calls[0](handle)
            times.append([handle.us] * replays)
        return times

    def measure(self, calls):
        self.full += 1
        us = calls[0].us if isinstance(calls[0], Call) else 50.0
        return {"us": us, "low": us, "high": us}


class FakeKernel:
    """A kernel of a library; its number is its time and its configuration."""

    def __init__(self, number):
        self.number = number
        self.kernel = self
        self.config = {"BLOCK_M": 16}

    def text(self):
        return f"N={self.number}"

    def broken_assumption(self, values):
        return "odd" if self.number == 0 else None

    def bind(self, values, dependent=False):
        return Call(self.number, values, dependent)


class Choice(unittest.TestCase):
    def setUp(self):
        self.measure, self.model_pass, self.layer = import_modules()
        self.clock = FakeClock()
        self.library = mock.Mock()
        self.library.find = lambda op, case: [FakeKernel(n) for n in (20, *range(15), 30)]
        self.errors = lambda op, call: 1e-4
        measure = self.measure
        reference = mock.Mock()
        reference.error = lambda op, call, handle: self.errors(op, call)
        for name, value in (
            ("Mapping", mock.Mock()), ("Reference", lambda case, arguments: reference),
            ("make_pool", lambda case, mapping, size: [mock.MagicMock() for _ in range(size)]),
            ("launch_values", lambda case, arguments, s, rows: arguments),
        ):  # fmt: skip
            patch = mock.patch.object(measure, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def run_case(self, baselines, ops=("shrink",), bench=None, **fields):
        case = Case(ops=ops, batch=16, seq_length=1, hidden=1024, widths=(1024,), rank=16,
                    num_loras=4, active=4, **fields)  # fmt: skip
        bench = (bench or self.measure.Bench)(self.clock, self.library, baselines, 4)
        self.bench = bench
        return {(r["op"], r["impl"]): r for r in bench.run(case)}

    def test_the_fastest_is_chosen(self):
        found = self.run_case(["lora-tile"])
        plain = found["shrink", "lora-tile"]
        # The kernel that does not fit the arguments is left out.
        self.assertEqual((plain["us"], plain["config"], plain["candidates"]), (1, "N=1", 16))
        overlapping = found["shrink", "lora-tile-pdl"]
        self.assertEqual((overlapping["us"], overlapping["config"]), (0.5, "N=14"))

    def test_rounds(self):
        self.run_case(["lora-tile"])
        rounds = self.measure.SEMIFINALISTS, self.measure.FINALISTS
        self.assertEqual(self.clock.quick, 2 * 16)
        self.assertEqual(self.clock.again, 2 * rounds[0])
        self.assertEqual(self.clock.full, 2 * rounds[1])

    def test_wrong_results_are_never_timed(self):
        self.errors = lambda op, call: float("nan") if call.us < 3 else 1e-4
        found = self.run_case(["lora-tile"])
        plain = found["shrink", "lora-tile"]
        self.assertEqual(plain["us"], 3)
        self.assertIn("2 of 16 configurations rejected, the first for error nan", plain["rejected"])
        self.assertEqual(self.clock.quick, 2 * 14)

    def test_nothing_is_right(self):
        self.errors = lambda op, call: 1.0
        found = self.run_case(["lora-tile"])
        self.assertIn("none of 16 configurations", found["shrink", "lora-tile"]["failed"])
        self.assertEqual(self.clock.full, 0)

    def test_pair_is_also_two_launches(self):
        found = self.run_case(["lora-tile", "triton", "cublas"], ("shrink", "expand", "pair"))
        for op in ("shrink", "expand", "pair"):
            for impl in ("lora-tile", "lora-tile-pdl", "triton-tuned", "triton-default", "cublas"):
                self.assertIn("us", found[op, impl], (op, impl))
        self.assertEqual(found["pair", "lora-tile-two"]["config"], "N=1 | N=1")
        self.assertIn(("pair", "lora-tile-two-pdl"), found)

    def run_layer(self, baselines, error=1e-4):
        errors = mock.patch.object(self.layer.Layer, "error", lambda layer, calls, clock: error)
        with errors:
            return self.run_case(baselines, ("pair", "layer"), self.layer.LayerBench)

    def test_two_launches_are_chosen_in_turns(self):
        """The second of expand is the better one behind the first of shrink."""

        def rough(calls, replays=1):
            if isinstance(calls[0], Call):
                return calls[0].us
            handle = Handle()
            calls[0](handle)
            return 0.1 if handle.us == 1 + 2 else handle.us

        self.clock.rough = rough
        two = self.run_case(["lora-tile"], ("pair",))["pair", "lora-tile-two"]
        self.assertEqual((two["config"], two["candidates"]), ("N=1 | N=2", 16))

    def test_layer(self):
        found = self.run_layer(["lora-tile", "triton", "cublas"])
        # Alone, as without a layer.
        self.assertEqual(found["pair", "lora-tile"]["us"], 1)
        plain, overlapping = found["layer", "lora-tile"], found["layer", "lora-tile-pdl"]
        self.assertEqual((plain["us"], plain["config"], plain["candidates"]), (1, "N=1", 16))
        self.assertEqual((overlapping["us"], overlapping["config"]), (0.5, "N=14"))
        self.assertEqual(plain["layer_us"] - plain["gemms_us"], 1)
        two = found["layer", "lora-tile-two"]
        self.assertEqual((two["us"], two["config"], two["candidates"]), (2, "N=1 | N=1", 16))
        for impl in ("lora-tile-two-pdl", "triton-tuned", "triton-default", "cublas"):
            self.assertIn(("layer", impl), found)
        # A replay of 32 calls of 50 us is short enough.
        self.assertEqual([turn[1:] for turn in self.clock.turns], [(32, 3), (32, 5)])
        # The products alone, and the best of each implementation.
        self.assertEqual(self.clock.turns[1][0], 1 + 7)

    def test_layer_of_long_calls(self):
        self.clock.rough = lambda calls, replays=1: 1000.0
        self.run_layer(["lora-tile"])
        self.assertEqual({turn[1] for turn in self.clock.turns}, {5})
        self.clock.rough = lambda calls, replays=1: 20000.0
        self.run_layer(["lora-tile"])
        self.assertEqual(self.clock.turns[-1][1], 4)

    def test_layer_with_wrong_results(self):
        found = self.run_layer(["lora-tile", "cublas"], float("nan"))
        wrong = found["layer", "lora-tile"]
        self.assertIn("none of the finalists", wrong["failed"])
        self.assertIn("error nan between two products", wrong["rejected"])
        self.assertEqual(self.clock.turns[1][0], 1 + 1)

    def test_layer_in_the_noise(self):
        found = self.run_layer(["lora-tile", "triton"])
        # Stand-ins for Triton's kernels take no time.
        self.assertIn("lost in the noise", found["layer", "triton-tuned"]["failed"])
        self.assertEqual(found["layer", "triton-tuned"]["gemms_us"],
                         found["layer", "lora-tile"]["gemms_us"])  # fmt: skip

    def test_vllm(self):
        ops = mock.MagicMock()
        ops.LoRAKernelMeta.make.return_value.meta_args = lambda token_nums, specialize: ("meta",)
        modules = {name: mock.MagicMock() for name in ("vllm", "vllm.lora")}
        modules["vllm.lora.ops"] = mock.MagicMock(triton_ops=ops)
        with mock.patch.dict(sys.modules, modules):
            self.errors = lambda op, call: call(Handle()) or 1e-4
            found = self.run_case(["vllm"], ("shrink", "expand", "pair"))
        self.assertEqual(set(found), {(op, "vllm") for op in ("shrink", "expand", "pair")})
        self.assertTrue(all("us" in result for result in found.values()))
        self.assertEqual(ops.lora_shrink.call_args.args[3:], ("meta", self.measure.SCALING))
        self.assertEqual(ops.lora_expand.call_args.kwargs, {"offset_start": 0, "add_inputs": True})

    def test_without_vllm(self):
        with mock.patch.dict(sys.modules, {"vllm": None}):
            with self.assertRaisesRegex(Error, "--baselines vllm: found no vLLM to import"):
                self.run_case(["vllm"])

    def test_cache_length_of_a_pass(self):
        options = mock.Mock(cache_length=None)
        lengths = [self.model_pass.cache_length_of(options, n) for n in (1, 128, 256, 8192)]
        self.assertEqual(lengths, [512, 512, 256, 0])
        options.cache_length = 7
        self.assertEqual(self.model_pass.cache_length_of(options, 1), 7)


if __name__ == "__main__":
    unittest.main()
