# SPDX-License-Identifier: Apache-2.0
"""Every row of golden/golden.csv through the command's --json.

ROOFLINE names the command (default: the one on PATH). Devices are files of numbers, never a name of the catalogue. Ends
with "N passed, N failed"; the exit status is 1 when a row differs.
"""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
DEVICES = TESTS / "data" / "devices"
H100, ROUNDED, H200 = (str(DEVICES / name) for name in ("h100.json", "h100-rounded.json", "h200.json"))
MODEL = "llama-3.1-8b"
GIB = 2**30
PEAK, BANDWIDTH = 989.4e12, 3.35e12


@cache
def roofline(*arguments: str) -> Any:
    command = [os.environ.get("ROOFLINE", "roofline"), *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


# --------------------------------------------------------------------------------------------------------- short calls


def ridge(device: str, arithmetic: str = "bf16") -> float:
    return float(roofline("device", device)["ridge_flop_per_byte"][arithmetic])


def kernel(*words: str) -> Any:
    return roofline("kernel", "--device", H100, *words)


def gemm(tokens: int, k: int, n: int, *formats: str) -> Any:
    return kernel("gemm", "--tokens", str(tokens), "--k", str(k), "--n", str(n), *formats)["kernels"][0]


def given(flops: float, moved: float) -> Any:
    return kernel("given", "--flops", repr(flops), "--bytes", repr(moved), "--format", "bf16")["kernels"][0]["bound"]


def attention_intensity(heads: int, kv_heads: int) -> float:
    shape = ("attention", "--heads", str(heads), "--kv-heads", str(kv_heads), "--head-dim", "128")
    work = ("--new", "1", "--context", "8192")
    priced = roofline("kernel", "--device", H100, "--traffic", "streamed", *shape, *work)
    return float(priced["kernels"][0]["work"]["intensity_flop_per_byte"])


def model() -> Any:
    return roofline("model", MODEL)


def step(device: str, *work: str) -> Any:
    return roofline("step", "--model", MODEL, "--device", device, "--traffic", "streamed", *work)


def decode(batch: int, context: int = 1024, device: str = H100) -> Any:
    return step(device, "--batch", str(batch), "--context", str(context))


def rounded(batch: int) -> Any:
    return decode(batch, 8192, ROUNDED)


def prefill() -> Any:
    return step(H100, "--prefill", "1:300")


def attention_rows(field: str) -> float:
    return float(sum(row[field] for row in rounded(8)["kernels"] if row["group"] == "attention"))


def linear_rows(field: str) -> float:
    return float(sum(row[field] for row in rounded(8)["kernels"] if row["group"] == "linear"))


def memory(*arguments: str) -> Any:
    fixed = ("--model", MODEL, "--device", H100, "--context", "8192", "--activation-bytes", "0")
    return roofline("memory", *fixed, *arguments)


def sixty_four() -> Any:
    return memory("--batch", "64", "--reserve-bytes", "4000000000", "--capacity-bytes", "80000000000")


def pool() -> Any:
    capacity, reserve = str(int(79.65 * GIB)), str(6 * GIB)
    arguments = ("--capacity-bytes", capacity, "--reserve-bytes", reserve, "--memory-fraction", "0.92")
    return memory(*arguments, "--output-slots", "0")


def two_kernels() -> Any:
    first = ("given", "--flops", repr(3e-3 * PEAK), "--bytes", "0", "--format", "bf16")
    return kernel(*first, "given", "--flops", "0", "--bytes", repr(4e-3 * BANDWIDTH))["compose"]


def widest_never() -> float:
    """The widths on either side of the threshold; the C test walks over all of them."""
    answers = {width: gemm(1, width, width)["crossover"]["answer"] for width in (1, 128, 589, 590, 591, 592, 4096)}
    return float(max(width for width, answer in answers.items() if answer == "never"))


def embedding_row() -> float:
    table = roofline("step", "--model", MODEL, "--device", H100, "--batch", "1", "--context", "1")["kernels"]
    return float(next(row["activation_bytes"] for row in table if row["kind"] == "embedding")) / 2


def gemm_ratio() -> float:
    crossover = gemm(1, 4096, 4096)["crossover"]
    return float(crossover["limit_flop_per_byte"]) / float(crossover["ridge_flop_per_byte"])


def weights_only_s() -> float:
    return float(given(0.0, float(model()["weight_bytes_streamed"]))["bound_s"])


def fits() -> str:
    answer = sixty_four()
    return f"{'yes' if answer['fits'] else 'no'}: {answer['reason']}"


# ---------------------------------------------------------------------------------------------------- a row, a figure

FP8 = ("--weights", "fp8", "--activations", "fp8")
W8A16 = ("--weights", "fp8", "--activations", "bf16")

FIGURES: dict[str, Callable[[], float | str]] = {
    "ridge_bf16_h100": lambda: ridge(H100),
    "ridge_bf16_h100_rounded": lambda: ridge(ROUNDED),
    "ridge_fp8_h100": lambda: ridge(H100, "fp8"),
    "ridge_bf16_h200": lambda: ridge(H200),
    "gemm_limit_d4096": lambda: gemm(1, 4096, 4096)["work"]["limit_flop_per_byte"],
    "gemm_limit_over_ridge": gemm_ratio,
    "gemm_crossover_d4096": lambda: gemm(1, 4096, 4096)["crossover"]["tokens_compulsory"],
    "gemm_never_width": widest_never,
    "gemv_qkv_flops": lambda: gemm(1, 4096, 6144)["work"]["flops"],
    "gemv_qkv_bytes": lambda: gemm(1, 4096, 6144)["work"]["bytes"],
    "gemv_qkv_intensity": lambda: gemm(1, 4096, 6144)["work"]["intensity_flop_per_byte"],
    "gemv_fraction_of_peak": lambda: 100 * given(1.0, 1.0)["fraction_of_peak"],
    "gemv_fp8_fraction_of_peak": lambda: 100 * given(2.0, 1.0)["fraction_of_peak"],
    "attn_intensity_gqa4": lambda: attention_intensity(32, 8),
    "attn_intensity_mha": lambda: attention_intensity(32, 32),
    "attn_intensity_mqa32": lambda: attention_intensity(32, 1),
    "attn_left_of_ridge": lambda: ridge(H100) / attention_intensity(32, 8),
    "params_per_layer_8b": lambda: (model()["parameters_streamed"] - 4096 * 128256) / model()["layers"],
    "params_streamed_8b": lambda: model()["parameters_streamed"],
    "params_total_8b": lambda: model()["parameters_total"],
    "bytes_streamed_8b": lambda: model()["weight_bytes_streamed"] / 1e9,
    "bytes_resident_8b": lambda: model()["weight_bytes_resident"] / 1e9,
    "bytes_resident_8b_gib": lambda: model()["weight_bytes_resident"] / GIB,
    "kv_per_token_8b": lambda: model()["kv_bytes_per_token"],
    "embedding_row": embedding_row,
    "decode_floor_b1": lambda: 1e3 * weights_only_s(),
    "decode_rate_b1": lambda: 1 / weights_only_s(),
    "decode_b1_s1024_bytes": lambda: decode(1)["bytes"] / 1e9,
    "decode_b1_s1024_time": lambda: 1e3 * decode(1)["aggregate_s"],
    "decode_b1_s1024_rate": lambda: 1 / decode(1)["aggregate_s"],
    "decode_b64_s1024_bytes": lambda: decode(64)["bytes"] / 1e9,
    "decode_b64_s1024_time": lambda: 1e3 * decode(64)["aggregate_s"],
    "decode_b64_s1024_rate": lambda: 64 / decode(64)["aggregate_s"],
    "decode_limit_intensity_s8192": lambda: decode(2**24, 8192)["intensity_flop_per_byte"],
    "decode_kv_bytes_s8192": lambda: decode(1, 8192)["kv_read_bytes"] / 1e9,
    "decode_rate_limit_s8192": lambda: 1 / given(0.0, float(decode(1, 8192)["kv_read_bytes"]))["bound_s"],
    "step_b8_s8192_linear": lambda: 1e3 * rounded(8)["linear_s"],
    "step_b8_s8192_linear_compute": lambda: 1e3 * linear_rows("compute_s"),
    "step_b8_s8192_attention_bytes": lambda: attention_rows("bytes") / 1e9,
    "step_b8_s8192_attention_flops": lambda: attention_rows("flops") / 1e9,
    "step_b8_s8192_attention": lambda: 1e3 * rounded(8)["attention_s"],
    "step_b8_s8192": lambda: 1e3 * rounded(8)["phase_s"],
    "step_b8_s8192_rate": lambda: rounded(8)["tokens_per_s"],
    "step_b8_s8192_rate_per_sequence": lambda: rounded(8)["tokens_per_s_per_sequence"],
    "step_b32_s8192_attention": lambda: 1e3 * rounded(32)["attention_s"],
    "step_b32_s8192": lambda: 1e3 * rounded(32)["phase_s"],
    "step_b32_s8192_rate": lambda: rounded(32)["tokens_per_s"],
    "step_b32_s8192_rate_per_sequence": lambda: rounded(32)["tokens_per_s_per_sequence"],
    "memory_b64_s8192": lambda: sixty_four()["required_bytes"] / 1e9,
    "memory_budget_h100": lambda: sixty_four()["budget_bytes"] / 1e9,
    "memory_b64_s8192_fits": fits,
    "pool_h100_gib": lambda: pool()["pool_bytes"] / GIB,
    "pool_h100_tokens": lambda: pool()["pool_tokens"],
    "pool_h100_sequences_8k": lambda: pool()["max_sequences"],
    "crossover_w8a8": lambda: gemm(1, 4096, 4096, *FP8)["crossover"]["tokens_streamed"],
    "crossover_w8a16": lambda: gemm(1, 4096, 4096, *W8A16)["crossover"]["tokens_streamed"],
    "two_kernels": lambda: 1e3 * two_kernels()["kernel_s"],
    "two_kernels_aggregate": lambda: 1e3 * two_kernels()["aggregate_s"],
    "order_decode_b512_s1024_aggregate": lambda: 1e3 * decode(512)["aggregate_s"],
    "order_decode_b512_s1024_phase": lambda: 1e3 * decode(512)["phase_s"],
    "order_decode_b512_s1024_kernel": lambda: 1e3 * decode(512)["kernel_s"],
    "order_decode_b300_s1024_aggregate": lambda: 1e3 * decode(300)["aggregate_s"],
    "order_decode_b300_s1024_phase": lambda: 1e3 * decode(300)["phase_s"],
    "order_prefill_300_aggregate": lambda: 1e3 * prefill()["aggregate_s"],
    "order_prefill_300_phase": lambda: 1e3 * prefill()["phase_s"],
    "order_prefill_300_kernel": lambda: 1e3 * prefill()["kernel_s"],
}


# ------------------------------------------------------------------------------------------------------ the comparison


def agrees(row: dict[str, str], actual: float | str) -> bool:
    if isinstance(actual, str):
        return (actual, row["stated"]) == ("no: kv", "no: KV capacity")
    stated = float(row["stated"])
    if row["tolerance"] == "exact":
        return math.isclose(actual, stated, rel_tol=1e-13)  # the rounding of doubles
    if row["tolerance"] == "exact floor":
        return actual == stated == math.floor(float(row["derived"]))
    allowed, kind = row["tolerance"].split()
    return abs(actual - stated) <= float(allowed) * {"abs": 1.0, "rel": stated}[kind]


def check(row: dict[str, str]) -> bool:
    try:
        actual = FIGURES[row["id"]]()
    except (KeyError, RuntimeError, TypeError, subprocess.SubprocessError) as problem:
        print(f"{row['id']}: {problem!r}")
        return False
    if agrees(row, actual):
        return True
    print(f"{row['id']}: {actual!r}, stated {row['stated']} (tolerance {row['tolerance']})")
    return False


def main() -> int:
    with (TESTS / "golden" / "golden.csv").open(newline="", encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    unused = FIGURES.keys() - {row["id"] for row in rows}
    for name in sorted(unused):
        print(f"{name}: golden.csv has no such row")
    passed = sum(check(row) for row in rows)
    failed = len(rows) - passed + len(unused)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
