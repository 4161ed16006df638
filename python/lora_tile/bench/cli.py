# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command line of the benchmark."""

import argparse
import datetime
import dataclasses
import pathlib
import sys
import time

from lora_tile.bench import results
from lora_tile.bench.cases import OP_TYPES, generate
from lora_tile.bench.compare import changes
from lora_tile.bench.models import find_model, rank_of_adapter
from lora_tile.errors import Error, run_tool

BASELINES = ("lora-tile", "triton", "cublas", "vllm")
# The exit status after Ctrl-C, as shells have it.
INTERRUPTED = 130
DEFAULT_SIZES = [1024, 2048, 4096, 8192, 16384]


class Parser(argparse.ArgumentParser):
    """Mistakes end with one line and exit status 1, as everywhere in this project."""

    def error(self, message):
        raise Error(message)


def _add_mapping_options(parser):
    add = parser.add_argument
    add("--num-loras", nargs="+", type=int, default=[4], help="adapter slots")
    add("--num-active-loras", type=int, help="slots that tokens use (default: all)")
    add("--dtype", choices=["f16", "bf16"], default="f16")
    add("--sort-by-lora-id", nargs="+", type=int, choices=[0, 1], default=[1])
    add("--no-lora-fraction", type=float, default=0.0, help="of requests, default: %(default)s")


def _add_case_options(parser):
    _add_mapping_options(parser)
    add = parser.add_argument
    add("--expand-fn-add-inputs", nargs="+", type=int, choices=[0, 1], default=[1])
    add("--op-types", nargs="+", metavar="OP", help=", ".join(OP_TYPES),
        default=["lora_shrink", "lora_expand", "lora_shrink_expand"])  # fmt: skip


def _add_run_options(parser):
    add = parser.add_argument
    add("--kernels", type=pathlib.Path, help="folder of cubins and manifests (default: compile "
        "with $LORA_COMPILE or lora-compile when needed)")  # fmt: skip
    add("--baselines", nargs="+", choices=BASELINES, default=list(BASELINES[:3]),
        help="what to measure (default: all but vllm)")  # fmt: skip
    add("--arg-pool-size", type=int, default=32, help="sets of arguments, within 2 GB")
    add("--cuda-graph-nops", type=int, default=32, help="calls in a graph")
    add("--with-cuda-graph", type=int, choices=[0, 1], default=1)
    add("--test-correctness", type=int, choices=[0, 1], default=1)
    add("--replays", type=int, default=15)
    add("--seed", type=int, default=0)
    add("--json", type=pathlib.Path, metavar="FILE")
    add("--csv", type=pathlib.Path, metavar="FILE")
    add("--resume", action="store_true", help="keep the cases that the --json file has")
    add("--dry-run", action="store_true", help="print cases, bytes and floors; needs no GPU")
    add("--bandwidth", type=float, default=4.3, metavar="TB/S", help="for --dry-run")


def _add_batch_options(parser):
    add = parser.add_argument
    add("--batch-sizes", nargs="+", type=int, default=[1, 16, 32, 64, 128, 256, 512])
    add("--seq-lengths", nargs="+", type=int, default=[1])


def _add_list_options(parser):
    _add_batch_options(parser)
    add = parser.add_argument
    add("--hidden-sizes", nargs="+", type=int, default=DEFAULT_SIZES)
    add("--lora-ranks", nargs="+", type=int, default=[16])
    add("--num-slices", nargs="+", type=int, default=[1])


def make_parser():
    parser = Parser(
        prog="lora_tile.bench", description="Measures multi-LoRA kernels; see docs/benchmark.md."
    )
    modes = parser.add_subparsers(dest="mode", required=True, parser_class=Parser)

    mode = modes.add_parser("list_bench", help="all combinations of the sizes given")
    _add_list_options(mode)
    _add_case_options(mode)
    _add_run_options(mode)

    mode = modes.add_parser("layer_bench", help="what the pair adds between two products")
    _add_list_options(mode)
    _add_mapping_options(mode)
    mode.set_defaults(op_types=["lora_shrink_expand"], expand_fn_add_inputs=[1])
    _add_run_options(mode)

    mode = modes.add_parser("range_bench", help="ranges of hidden sizes and ranks")
    _add_batch_options(mode)
    for name, start, end, step in (("hidden-sizes", 1024, 8192, 1024), ("lora-ranks", 16, 64, 16)):
        mode.add_argument(f"--{name}-start", type=int, default=start)
        mode.add_argument(f"--{name}-end", type=int, default=end, help="included")
        mode.add_argument(f"--{name}-increment", type=int, default=step)
    mode.add_argument("--num-slices", nargs="+", type=int, default=[1])
    _add_case_options(mode)
    _add_run_options(mode)

    mode = modes.add_parser("model_bench", help="the layers of models")
    _add_batch_options(mode)
    mode.add_argument("--models", nargs="+", required=True, help="names, or config.json files")
    mode.add_argument("--tp-sizes", nargs="+", type=int, default=[1])
    mode.add_argument("--adapter", type=pathlib.Path, help="PEFT adapter, for rank and modules")
    mode.add_argument("--lora-ranks", nargs="+", type=int, default=[16])
    _add_case_options(mode)
    _add_run_options(mode)

    mode = modes.add_parser("model_pass", help="a whole forward pass, with and without LoRA")
    mode.add_argument("--models", nargs=1, default=["meta-llama/Llama-2-7b-hf"])
    mode.add_argument("--tokens", nargs="+", type=int, default=[1, 16, 64, 128])
    mode.add_argument("--lora-ranks", nargs="+", type=int, default=[8, 64])
    mode.add_argument("--num-loras", type=int, default=4)
    mode.add_argument("--cache-length", type=int, help="tokens that each token attends to; 0: none "
                      "(default: 512 up to 128 tokens, 256 up to 256, none above)")  # fmt: skip
    mode.add_argument("--layers", type=int, help="layers to run (default: all of the model's)")
    mode.add_argument("--dtype", choices=["f16", "bf16"], default="f16")
    _add_run_options(mode)

    mode = modes.add_parser("report", help="one self-contained HTML page")
    mode.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    mode.add_argument("-o", "--output", type=pathlib.Path, required=True)
    mode.add_argument("--no-plots", action="store_true", help="the table alone: no matplotlib")

    mode = modes.add_parser("compare", help="what changed; exit status 1 after a regression")
    mode.add_argument("old", type=pathlib.Path)
    mode.add_argument("new", type=pathlib.Path)
    mode.add_argument("--tolerance", type=float, default=0.03, help="least relative difference")
    mode.add_argument("--impls", nargs="+", choices=results.IMPLS, help="default: lora-tile's")
    return parser


def steps(options, name):
    """The values of --NAME-start, -end and -increment."""
    start, end, step = (
        getattr(options, f"{name}_{part}") for part in ("start", "end", "increment")
    )
    if step < 1 or end < start:
        flag = "--" + name.replace("_", "-")
        raise Error(
            f"{flag}-start {start} -end {end} -increment {step}: expected an increment of at least "
            "1, and an end that is not below the start"
        )
    return list(range(start, end + 1, step))


def layers_of(options):
    """(label, hidden, widths) of the layers that a mode measures."""
    if options.mode != "model_bench":
        sizes = options.hidden_sizes
        if any(count < 1 for count in options.num_slices):
            raise Error("--num-slices: expected at least 1")
        return [("", size, (None,) * count) for count in options.num_slices for size in sizes]
    modules = None
    if options.adapter:
        rank, modules = rank_of_adapter(options.adapter)
        options.lora_ranks = [rank]
    layers = []
    for name in options.models:
        model = find_model(name)
        for tp in options.tp_sizes:
            for layer, hidden, widths in model.projections(tp):
                if modules is None or layer in modules:
                    label = f"{model.name.split('/')[-1]}{f' tp{tp}' if tp > 1 else ''} {layer}"
                    layers.append((label, hidden, widths))
    return layers


def make_cases(options):
    if options.mode == "range_bench":
        options.hidden_sizes = steps(options, "hidden_sizes")
        options.lora_ranks = steps(options, "lora_ranks")
    for name in ("arg_pool_size", "cuda_graph_nops", "replays"):
        if getattr(options, name) < 1:
            raise Error(f"--{name.replace('_', '-')} {getattr(options, name)}: expected 1 or more")
    cases = generate(layers_of(options), options)
    if options.mode == "layer_bench":
        cases = [dataclasses.replace(case, ops=("pair", "layer")) for case in cases]
    return cases


def dry_run(cases, bandwidth):
    lines = [("model", "tokens", "shape", "rank", "loras", "op", "MB", "Mflop", "floor us")]
    for case in cases:
        fields = dataclasses.asdict(case)
        for op in case.ops:
            size = case.bytes_of(op)
            lines.append((
                case.label or "-", str(case.tokens), results.shape_text(fields), str(case.rank),
                str(case.num_loras), op, f"{size / 1e6:.3f}", f"{case.flops_of(op) / 1e6:.2f}",
                f"{size / bandwidth / 1e6:.3f}",
            ))  # fmt: skip
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths)))
    print(f"{len(cases)} cases; floors at {bandwidth} TB/s, set by --bandwidth")


class Progress:
    """Says how far a run is, and how long it may take still, every five seconds at most."""

    def __init__(self, total):
        self.total = total
        self.begin = self.last = time.monotonic()

    def show(self, done):
        now = time.monotonic()
        if now - self.last < 5 or not done:
            return
        self.last = now
        left = (now - self.begin) / done * (self.total - done)
        print(f"{done} of {self.total} cases, {left:.0f} s left", file=sys.stderr, flush=True)


def import_gpu_parts():
    """The modules that need torch, Triton and cuda-python; Error names the one that is missing."""
    try:
        from lora_tile.bench import clock, layer, measure, model_pass
    except ModuleNotFoundError as error:
        raise Error(
            f"found no Python package '{error.name}', expected torch, triton and cuda-python; "
            "--dry-run needs none"
        ) from None
    return clock, layer, measure, model_pass


def start(options, cases=()):
    """A bench for a run and a document to fill; compiles what the cases need of Triton."""
    clock_module, layer, measure, _ = import_gpu_parts()
    properties = clock_module.require_gpu()
    arch = f"sm_{properties.major}{properties.minor}" + ("a" if properties.major >= 9 else "")
    library = None
    if "lora-tile" in options.baselines:
        library = measure.Library(options.kernels, arch)
    clock = clock_module.Clock(
        options.cuda_graph_nops, options.replays, bool(options.with_cuda_graph)
    )
    bench_type = layer.LayerBench if options.mode == "layer_bench" else measure.Bench
    bench = bench_type(
        clock, library, options.baselines, options.arg_pool_size, bool(options.test_correctness),
        options.seed,
    )  # fmt: skip
    if "triton" in options.baselines:
        from lora_tile.bench.compile_ahead import compile_ahead

        compile_ahead(cases)
    copy = clock_module.copy_bandwidth(clock)
    document = {
        "format": 1,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "device": {"name": properties.name, "arch": arch,
                   "multiprocessors": properties.multi_processor_count},
        "versions": measure.versions(),
        "method": {"calls_in_graph": options.cuda_graph_nops, "replays": options.replays,
                   "with_cuda_graph": bool(options.with_cuda_graph), "seed": options.seed,
                   "arg_pool_size": options.arg_pool_size,
                   "test_correctness": bool(options.test_correctness)},
        "copy_bytes_per_second": copy,
        "rows": [],
    }  # fmt: skip
    return bench, document


def write_outputs(options, document):
    if options.json:
        results.save(options.json, document)
    if options.csv:
        results.save_csv(options.csv, document)


def is_measured(kept, case):
    """Whether the rows by key of an earlier run have what a case asks for."""
    row = kept.get(case.key())
    return row is not None and set(case.ops) <= set(row["case"]["ops"])


def run_cases(options):
    cases = make_cases(options)
    if options.dry_run:
        return dry_run(cases, options.bandwidth)
    if options.resume and not options.json:
        raise Error("--resume: expected --json, the file to go on with")
    kept = {}
    if options.resume and options.json.exists():
        kept = {row["key"]: row for row in results.load(options.json)["rows"]}
    missing = [case for case in cases if not is_measured(kept, case)]
    bench, document = start(options, missing)
    progress = Progress(len(cases))
    try:
        for done, case in enumerate(cases):
            progress.show(done)
            row = kept.get(case.key())
            if not is_measured(kept, case):
                row = {
                    "key": case.key(),
                    "case": dataclasses.asdict(case),
                    "bytes": {op: case.bytes_of(op) for op in case.ops},
                    "flops": {op: case.flops_of(op) for op in case.ops},
                    "results": bench.run(case),
                }
            document["rows"].append(row)
            if options.json:
                results.save(options.json, document)
        interrupted = False
    except KeyboardInterrupt:
        interrupted = True
        print(f"interrupted after {len(document['rows'])} of {len(cases)} cases", file=sys.stderr)
    write_outputs(options, document)
    print(results.table(document))
    status = summary(document)
    return INTERRUPTED if interrupted else status


def summary(document):
    """Prints what the table needs to be read; returns 1 if a kernel gave wrong results."""
    device = document["device"]
    method = document["method"]
    print(
        f"\n{device['name']}; microseconds per call, median of {method['replays']} replays of "
        f"{method['calls_in_graph']} calls{' in a CUDA graph' * method['with_cuda_graph']}; floors "
        f"at the {document['copy_bytes_per_second'] / 1e12:.2f} TB/s of a copy, measured in this "
        "run. cublas serves one adapter, the others all."
    )
    if any("layer" in row["case"]["ops"] for row in document["rows"]):
        print("layer: what the pair adds to two products, which alone take the time under gemms.")
    rejected = [
        f"{row['key']}: {result['op']} {result['impl']}: {result['rejected']}"
        for row in document["rows"]
        for result in row["results"]
        if "rejected" in result
    ]
    for line in rejected:
        print(f"WRONG {line}", file=sys.stderr)
    return 1 if rejected else 0


def run_model_pass(options):
    model = find_model(options.models[0])
    if options.dry_run:
        raise Error("--dry-run: model_pass has none, expected another mode")
    _, _, _, model_pass = import_gpu_parts()
    bench, document = start(options, model_pass.all_cases(model, options))
    document["passes"] = []
    try:
        for line in model_pass.run(bench, model, options):
            document["passes"].append(line)
            print(model_pass.text(line), flush=True)
            if options.json:
                results.save(options.json, document)
        status = 0
    except KeyboardInterrupt:
        status = INTERRUPTED
        print("interrupted", file=sys.stderr)
    return status


def run_report(options):
    from lora_tile.bench import report

    documents = [results.load(path) for path in options.files]
    results.write_text(options.output, report.page(documents, plots=not options.no_plots))
    return 0


def run_compare(options):
    found, compared = changes(
        results.load(options.old), results.load(options.new), options.tolerance,
        options.impls or results.OURS,
    )  # fmt: skip
    if not compared:
        raise Error(f"{options.new}: found no result that {options.old} has too")
    for change in found:
        print(change.text())
    regressions = sum(change.is_regression() for change in found)
    print(f"{compared} results compared, {len(found)} changed, {regressions} regressions")
    return 1 if regressions else 0


def main(arguments=None):
    def body():
        options = make_parser().parse_args(arguments)
        modes = {"report": run_report, "compare": run_compare, "model_pass": run_model_pass}
        return modes.get(options.mode, run_cases)(options)

    return run_tool("lora_tile.bench", body)
