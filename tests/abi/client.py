# SPDX-License-Identifier: Apache-2.0
"""The library from Python's ctypes, with structs declared by hand: python3 client.py LIBRARY CONFIG.

Prices one step of Llama-3.1-8B on an H100, and checks every struct declared here against the library's layout table,
the way a binding does when it is loaded.
"""

from __future__ import annotations

import ctypes as c
import sys
from collections.abc import Callable
from typing import Any

Field = tuple[str, Any]

ABI = 0
STREAMED = 1
RANGE = -2
NOT_FOUND = -13
INT32, UINT32, INT64, DOUBLE, TEXT = 1, 2, 3, 5, 6
TYPES = {c.c_int32: INT32, c.c_uint32: UINT32, c.c_int64: INT64, c.c_double: DOUBLE, c.c_char: TEXT}


def fields(kind: Any, names: str) -> list[Field]:
    return [(name, kind) for name in names.split()]


class LayoutRow(c.Structure):
    c_name = "roofline_layout_row"
    _fields_ = [
        ("struct_size", c.c_uint32),
        *fields(c.c_int32, "storage id padding"),
        *fields(c.c_int64, "offset_bytes size_bytes count"),
        *fields(c.c_char * 48, "struct_name field meaning"),
    ]


class Error(c.Structure):
    c_name = "roofline_error"
    _fields_ = [
        *fields(c.c_int32, "status field_id"),
        *fields(c.c_int64, "line offset"),
        ("path", c.c_char * 232),
        ("message", c.c_char * 512),
        ("reserved", c.c_char * 256),
    ]


class Deployment(c.Structure):
    c_name = "roofline_deployment"
    _fields_ = [
        ("struct_size", c.c_uint32),
        *fields(c.c_int32, "traffic weights activations kv residual head_weights linear_arithmetic"),
        *fields(c.c_int32, "attention_arithmetic tp pp ep dp padding"),
        ("memory_fraction", c.c_double),
        *fields(c.c_int64, "capacity_bytes reserve_bytes activation_bytes token_budget block_tokens output_slots"),
        ("host_s_per_step", c.c_double),
    ]


class Sequences(c.Structure):
    c_name = "roofline_sequences"
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("padding", c.c_int32),
        *fields(c.c_int64, "count new_tokens context_tokens logit_rows"),
    ]


class Step(c.Structure):
    c_name = "roofline_step_result"
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("regime", c.c_int32),
        *fields(c.c_double, "aggregate_s phase_s kernel_s predicted_s predicted_low_s predicted_high_s linear_s"),
        *fields(c.c_double, "attention_s compute_s memory_s flops bytes weight_bytes kv_read_bytes kv_write_bytes"),
        *fields(c.c_double, "activation_bytes communication_bytes intensity_flop_per_byte ridge_flop_per_byte"),
        *fields(c.c_double, "tokens_per_s tokens_per_s_per_sequence output_tokens_per_s memory_bound_share"),
        *fields(c.c_double, "compute_bound_share launch_share communication_share mfu mbu"),
        *fields(c.c_int64, "sequences new_tokens logit_rows kv_bytes required_bytes short_bytes"),
        *fields(c.c_int32, "traffic source calibrated cache_resident fits fit_reason ranks padding"),
    ]


class Kernel(c.Structure):
    c_name = "roofline_kernel"
    _fields_ = [
        ("struct_size", c.c_uint32),
        *fields(c.c_int32, "name_id kind group arithmetic regime cache_resident padding"),
        ("count", c.c_int64),
        *fields(c.c_double, "flops bytes weight_bytes kv_read_bytes kv_write_bytes activation_bytes"),
        *fields(c.c_double, "intensity_flop_per_byte compute_s memory_s bound_s"),
    ]


STRUCTS = (LayoutRow, Error, Deployment, Sequences, Step, Kernel)

Layout = dict[tuple[str, str], LayoutRow]


class Library:
    """Declares the functions that are used: ctypes takes every argument and result for an int otherwise."""

    def __init__(self, path: str) -> None:
        self.c = c.CDLL(path)
        self.error = Error()
        for name in ("layout_count", "constant_count"):
            getattr(self.c, f"roofline_{name}").restype = c.c_int64
        self.c.roofline_status_name.restype = c.c_char_p
        for name in ("device", "model", "plan"):
            getattr(self.c, f"roofline_{name}_free").argtypes = [c.c_void_p]
            getattr(self.c, f"roofline_{name}_free").restype = None

    def call(self, name: str, *arguments: Any) -> int:
        return int(getattr(self.c, f"roofline_{name}")(*arguments, c.byref(self.error)))

    def layout(self) -> Layout:
        rows: Layout = {}
        for index in range(self.c.roofline_layout_count()):
            row = LayoutRow(struct_size=c.sizeof(LayoutRow))
            if self.call("layout_at", c.c_int64(index), c.byref(row)) == 0:
                rows[row.struct_name.decode(), row.field.decode()] = row
        return rows


def layout_problems(struct: Any, layout: Layout) -> list[str]:
    """A field that is known must be where it is expected; the library's struct may have more."""
    name = struct.c_name
    if (name, "") not in layout:
        return [f"{name} is not in the layout table"]
    problems = []
    if layout[name, ""].size_bytes < c.sizeof(struct):
        problems.append(f"{name} has {layout[name, ''].size_bytes} bytes, fewer than {c.sizeof(struct)}")
    for field, kind in struct._fields_:
        row = layout.get((name, field))
        here = getattr(struct, field)
        element: Any = kind._type_ if issubclass(kind, c.Array) else kind
        expected = (here.offset, here.size, TYPES[element])
        if row is None or (row.offset_bytes, row.size_bytes, row.storage) != expected:
            problems.append(f"{name}.{field} is elsewhere, or of another type")
    return problems


class Checks:
    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def that(self, what: str, holds: bool) -> None:
        self.passed += holds
        self.failed += not holds
        if not holds:
            print(f"python: {what}: no")


def price(library: Library, config: str, checks: Checks) -> None:
    device, model, plan = c.c_void_p(), c.c_void_p(), c.c_void_p()
    error = library.error
    checks.that("a device opens", library.call("device_open", b"h100-sxm", c.byref(device)) == 0)
    checks.that("a model loads", library.call("model_load", config.encode(), c.byref(model)) == 0)
    deployment = Deployment()
    size = c.c_size_t(c.sizeof(deployment))
    checks.that("defaults are written", library.c.roofline_deployment_init(c.byref(deployment), size) == 0)
    deployment.traffic = STREAMED
    checks.that("a plan compiles", library.call("plan_new", device, model, c.byref(deployment), c.byref(plan)) == 0)
    library.c.roofline_device_free(device)
    library.c.roofline_model_free(model)

    decode = Sequences(count=8, new_tokens=1, context_tokens=8192)
    step = Step(struct_size=c.sizeof(Step))
    row_bytes = c.c_size_t(c.sizeof(Sequences))
    one = c.c_size_t(1)
    status = library.call("step_groups", plan, c.byref(decode), one, row_bytes, c.byref(step))
    checks.that("a step is priced", status == 0)
    # weights 15,009,316,864 B and 8 * 8192 tokens of 131,072 B, at 3.35 TB/s; no product is compute-bound
    expected = (15009316864 + 8 * 8192 * 131072) / 3.35e12
    checks.that("its time is the hand derivation's", abs(step.kernel_s - expected) < 1e-12 * expected)

    rows = (Kernel * 16)()
    count = c.c_size_t()
    kernel_bytes = c.c_size_t(c.sizeof(Kernel))
    table = (plan, c.byref(decode), one, row_bytes, rows, c.c_size_t(len(rows)), kernel_bytes, c.byref(count))
    checks.that("the kernel table is read", library.call("step_kernels", *table) == 0 and count.value > 1)
    total = sum(row.bound_s for row in rows[: count.value])
    checks.that("its rows add up to the step", abs(total - step.kernel_s) < 1e-12 * step.kernel_s)

    deployment.memory_fraction = 2
    refused = c.c_void_p()
    status = library.c.roofline_step_groups(plan, None, one, row_bytes, c.byref(step), None)
    checks.that("an error needs no error object", status < 0)
    library.c.roofline_plan_free(plan)
    library.call("device_open", b"h100-sxm", c.byref(device))
    library.call("model_load", config.encode(), c.byref(model))
    status = library.call("plan_new", device, model, c.byref(deployment), c.byref(refused))
    checks.that("a bad field is named", (status, error.path) == (RANGE, b"roofline_deployment.memory_fraction"))
    checks.that("nothing is made", refused.value is None)
    library.c.roofline_device_free(device)
    library.c.roofline_model_free(model)


def provoke(library: Library, checks: Checks) -> None:
    device = c.c_void_p()
    text = b'{"schema": "roofline-device/1", "name": "x", "memory_bytes": 1, "memory_bytes_per_s": 1, \
"peaks_flops": {"bf16": -1}}'
    status = library.call("device_parse", text, c.c_size_t(len(text)), c.byref(device))
    path = library.error.path
    checks.that("a bad value in JSON is named by its path", (status, path) == (RANGE, b"/peaks_flops/bf16"))
    status = library.call("device_open", b"no such device", c.byref(device))
    checks.that("an unknown name is not found", status == NOT_FOUND and len(library.error.message) > 0)


def main() -> int:
    library = Library(sys.argv[1])
    checks = Checks()
    checks.that("the ABI is the one that this client knows", library.c.roofline_abi_version() == ABI)
    layout = library.layout()
    for struct in STRUCTS:
        problems = layout_problems(struct, layout)
        checks.that("; ".join(problems), not problems)
    steps: tuple[Callable[[], None], ...] = (
        lambda: price(library, sys.argv[2], checks),
        lambda: provoke(library, checks),
    )
    for run in steps:
        run()
    print(f"python: {checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
