#!/usr/bin/env python3
# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the test suites of a build and sums up their results.

The suites are the GoogleTest executables in unit/, the lit tests in test/, a sample of the shipped
kernels' configurations compiled for every architecture (compile_sweep.py), random cases of the
kernels on the interpreter and the emulator (lora-differential), the tests of the runtime library built
again with sanitizers (in build/thread and build/sanitize-runtime), the unittests of the Python
package (python/tests), and, when a GPU is there, the accuracy of the shipped kernels on it
(gpu-accuracy). The last line reads `N passed, N failed, N skipped`; the exit status is 1 if a test
fails, if a suite crashes or hangs, or if one has no test.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import environment

LIT = "/usr/lib/llvm-22/bin/lit"

# The presets that build with a sanitizer and without the compiler, and the tests that each runs.
SANITIZED = {
    "thread": ["RuntimeApiTests"],
    "sanitize-runtime": ["RuntimeApiTests", "PackTests", "PackFuzzTests"],
}
# Of the mutated packs, which are many more without a sanitizer.
SANITIZED_FUZZ_ROUNDS = "8000"


class Result:
    """Numbers of tests that passed, failed and were skipped."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed = passed
        self.failed = failed
        self.skipped = skipped

    def __add__(self, other):
        return Result(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"

    def total(self):
        return self.passed + self.failed + self.skipped


def report(name, text):
    print(f"{name}: {text}", flush=True)


def run(command, timeout, capture):
    """Runs a command; returns its exit status, or a text that says how it ended, and its output."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if capture else None,
        stderr=subprocess.STDOUT if capture else None,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # The whole group, since a hanging test may be a child of the runner.
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return f"did not end within {timeout} s", output or ""
    if process.returncode < 0:
        return f"died of {signal.Signals(-process.returncode).name}", output or ""
    return process.returncode, output or ""


def load_report(path):
    """The JSON that a test runner wrote, or None if it did not get that far."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def count_gtest(document):
    result = Result()
    for suite in document["testsuites"]:
        for test in suite["testsuite"]:
            if test.get("failures"):
                result.failed += 1
            elif test["result"] == "COMPLETED":
                result.passed += 1
            else:
                result.skipped += 1
    return result


def count_lit(document):
    result = Result()
    for test in document["tests"]:
        code = test["code"]
        if code in ("PASS", "FLAKYPASS", "XFAIL"):
            result.passed += 1
        elif code in ("UNSUPPORTED", "SKIPPED"):
            result.skipped += 1
        elif code != "EXCLUDED":
            result.failed += 1
    return result


def without_passed(output):
    """The output of a GoogleTest executable without the lines of the tests that passed."""
    kept = []
    for line in output.splitlines():
        if line.startswith("[       OK ]") and kept and kept[-1].startswith("[ RUN      ]"):
            kept.pop()
        else:
            kept.append(line)
    return "\n".join(kept)


def settle(name, status, output, document, count, arguments):
    """Turns the end of a suite into a result, and says what went wrong."""
    result = count(document) if document is not None else Result()
    problem = None
    if isinstance(status, str):
        problem = status
    elif document is None:
        problem = f"exited with status {status} without reporting its tests"
    elif status != 0 and result.failed == 0:
        problem = f"exited with status {status} though no test failed"
    elif result.total() == 0 and not arguments.filter:
        problem = "has no test"
    if problem:
        result.failed += 1
    if result.failed and output:
        print(without_passed(output))
    report(name, f"{result}" + (f" ({problem})" if problem else ""))
    return result


def run_gtest(name, executable, arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "report.json")
        command = [executable, f"--gtest_output=json:{path}"]
        if arguments.filter:
            command.append(f"--gtest_filter=*{arguments.filter}*")
        status, output = run(command, arguments.timeout, capture=True)
        return settle(name, status, output, load_report(path), count_gtest, arguments)


def run_gtests(folder, arguments):
    """Runs every executable in `folder`, a child of the build directory."""
    directory = arguments.build / folder
    executables = [
        path
        for path in sorted(directory.glob("*"))
        if path.is_file() and os.access(path, os.X_OK)
    ]
    if not executables:
        report(folder, f"no test executable in {directory}")
        return Result(failed=1)
    results = [run_gtest(f"{folder}/{path.name}", path, arguments) for path in executables]
    return sum(results, Result())


def is_without_compiler(build):
    """Whether the build was configured with LORA_BUILD_COMPILER=OFF."""
    cache = build / "CMakeCache.txt"
    return cache.exists() and "\nLORA_BUILD_COMPILER:BOOL=OFF\n" in cache.read_text()


def run_lit(arguments):
    if is_without_compiler(arguments.build):
        report("lit", "skipped, since the build has no compiler")
        return Result(skipped=1)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "report.json")
        command = [LIT, "-sv", "--no-progress-bar", "--order=lexical", "--output", path]
        if arguments.filter:
            command += ["--filter", arguments.filter, "--allow-empty-runs"]
        command.append(arguments.build / "test")
        status, output = run(command, arguments.timeout, capture=False)
        document = load_report(path)
        if document is None and status == 0 and arguments.filter:
            # lit writes no report when the filter leaves nothing to run.
            document = {"tests": []}
        return settle("lit", status, output, document, count_lit, arguments)


def run_compile_sweep(arguments):
    name = "compile_sweep"
    if arguments.filter and arguments.filter not in name:
        return Result()
    if is_without_compiler(arguments.build) or not environment.find_ptxas():
        report(name, "skipped, since the build has no compiler or the machine no ptxas")
        return Result(skipped=1)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "report.json")
        script = pathlib.Path(__file__).with_name("compile_sweep.py")
        command = [sys.executable, script, "--build", arguments.build, "--output", path]
        status, output = run(command, arguments.timeout, capture=True)
        document = load_report(path)
        return settle(name, status, output, document, lambda counts: Result(**counts), arguments)


def count_last_line(output):
    """The Result in a last line `N passed, N failed`, or None without one."""
    match = re.search(r"^(\d+) passed, (\d+) failed\n\Z", output, re.MULTILINE)
    return Result(int(match.group(1)), int(match.group(2))) if match else None


def run_differential(arguments):
    name = "lora-differential"
    if arguments.filter and arguments.filter not in name:
        return Result()
    if is_without_compiler(arguments.build):
        report(name, "skipped, since the build has no compiler")
        return Result(skipped=1)
    command = [arguments.build / "bin" / name, "--cases", "800", "--seed", "1"]
    status, output = run(command, arguments.timeout, capture=True)
    return settle(name, status, output, count_last_line(output), lambda r: r, arguments)


def run_sanitizers(arguments):
    """Builds the tests of the runtime library with sanitizers, which takes a minute each, and runs
    them: threads, and a failure of every call of the driver."""
    name = "sanitizers"
    if arguments.filter and arguments.filter not in name:
        return Result()
    root = pathlib.Path(__file__).resolve().parent.parent
    whole = argparse.Namespace(**{**vars(arguments), "filter": None})
    os.environ.setdefault("LORA_FUZZ_ROUNDS", SANITIZED_FUZZ_ROUNDS)
    os.environ.setdefault("UBSAN_OPTIONS", "halt_on_error=1")
    result = Result()
    for preset, tests in SANITIZED.items():
        folder = root / "build" / preset
        commands = [
            ["cmake", "-S", root, "--preset", preset],
            ["cmake", "--build", folder, "--target", *tests],
        ]
        for command in commands:
            status, output = run(command, arguments.timeout, capture=True)
            if status != 0:
                failed = Result(failed=1)
                return result + settle(preset, status, output, failed, lambda r: r, arguments)
        for test in tests:
            result += run_gtest(f"{preset}/{test}", folder / "unit" / test, whole)
    return result


def count_unittest(output):
    """The Result that unittest prints last, or None if it did not get that far."""
    verdict = r"(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$"
    match = re.search(r"^Ran (\d+) tests? in .*\n\n" + verdict, output, re.MULTILINE)
    if not match:
        return None
    numbers = dict(re.findall(r"(failures|errors|skipped)=(\d+)", match.group(2) or ""))
    failed = int(numbers.get("failures", 0)) + int(numbers.get("errors", 0))
    skipped = int(numbers.get("skipped", 0))
    return Result(int(match.group(1)) - failed - skipped, failed, skipped)


def run_python(arguments):
    folder = pathlib.Path(__file__).resolve().parent.parent / "python/tests"
    command = [sys.executable, "-m", "unittest", "discover", "-s", folder]
    if arguments.filter:
        command += ["-k", arguments.filter]
    status, output = run(command, arguments.timeout, capture=True)
    result = count_unittest(output)
    if arguments.filter and result and result.total() == 0:
        # From Python 3.12 on, unittest fails when the filter leaves nothing to run.
        return Result()
    return settle("python", status, output, result, lambda r: r, arguments)


def run_gpu_accuracy(arguments):
    """Compiles the kernels that gpu-accuracy needs for a quick run, and runs it."""
    name = "gpu-accuracy"
    if arguments.filter and arguments.filter not in name:
        return Result()
    arch = environment.gpu_arch()
    if not arch:
        report(name, "skipped, since the machine has no GPU")
        return Result(skipped=1)
    if is_without_compiler(arguments.build) or not environment.find_ptxas():
        report(name, "skipped, since the build has no compiler or the machine no ptxas")
        return Result(skipped=1)
    kernels = arguments.build / "gpu-kernels" / arch
    script = pathlib.Path(__file__).with_name("gpu_kernels.py")
    command = [sys.executable, script, "--build", arguments.build, "--arch", arch, "--quick"]
    status, output = run([*command, "--output", kernels], arguments.timeout, capture=True)
    if status != 0:
        return settle(f"{name} kernels", status, output, Result(failed=1), lambda r: r, arguments)
    command = [arguments.build / "bin/gpu-accuracy", "--quick", "--kernels", kernels]
    status, output = run(command, arguments.timeout, capture=True)
    return settle(name, status, output, count_last_line(output), lambda r: r, arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--build",
        type=pathlib.Path,
        default=pathlib.Path("build/release"),
        help="the build directory (default: %(default)s)",
    )
    parser.add_argument("--filter", help="run only the tests whose name contains this text")
    parser.add_argument(
        "--timeout",
        type=int,
        default=1200,
        help="seconds after which a suite counts as hanging (default: %(default)s)",
    )
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()

    suites = [
        run_lit,
        run_compile_sweep,
        run_differential,
        run_sanitizers,
        run_python,
        run_gpu_accuracy,
    ]
    result = run_gtests("unit", arguments) + sum((suite(arguments) for suite in suites), Result())
    if result.passed + result.failed == 0:
        report("run_tests.py", "no test was run")
        result.failed += 1
    print(result)
    return 1 if result.failed else 0


if __name__ == "__main__":
    sys.exit(main())
