#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="import-not-found"
"""Draws docs/roofline.svg from what the command says: python3 docs/plot_roofline.py PATH_OF_ROOFLINE OUTPUT

Needs matplotlib (pip install matplotlib). Every kernel of four steps stands at its intensity; its area is its share of
the step's time, so the picture shows at a glance what a step waits for.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt

MODEL, DEVICE = "llama-3.1-8b", "h100-sxm"
STEPS = [
    ("decode, batch 1, context 8,192", ["--batch", "1", "--context", "8192"], "#7b3294"),
    ("decode, batch 8, context 8,192", ["--batch", "8", "--context", "8192"], "#d7301f"),
    ("decode, batch 55, context 8,192", ["--batch", "55", "--context", "8192"], "#ef8a1d"),
    ("prefill, 1 prompt of 2,048", ["--prefill", "1:2048"], "#2171b5"),
]
MARKERS = {"linear": "o", "attention": "D"}


def ask(roofline: str, *arguments: str) -> Any:
    command = [roofline, *arguments, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def draw_roof(axes: Any, device: Any) -> None:
    bandwidth = device["memory_bytes_per_s"]
    least, most = 0.5, 4000.0
    for name, style, above in (("bf16", "-", -22), ("fp8", "--", 5)):
        peak = device["peaks_flops"][name]
        ridge = device["ridge_flop_per_byte"][name]
        axes.plot([least, ridge, most], [bandwidth * least, peak, peak], style, color="black", linewidth=1.4, zorder=1)
        axes.annotate(
            f"{name}: {peak / 1e12:,.0f} TFLOP/s, ridge {ridge:,.0f} FLOP/byte",
            (most, peak),
            xytext=(-4, above),
            textcoords="offset points",
            ha="right",
            fontsize=9,
        )
    axes.annotate(
        f"{bandwidth / 1e12:.2f} TB/s",
        (20, bandwidth * 20),
        xytext=(-12, 12),
        textcoords="offset points",
        rotation=33,
        fontsize=9,
    )
    axes.set_xlim(least, most)
    axes.set_ylim(bandwidth * least, 4e15)


def draw_remarks(axes: Any, bandwidth: float) -> None:
    remarks = [
        ((4, bandwidth * 4), (0.62, 6e13), "attention of decode: 4 FLOP/byte,\nwhatever the batch and the context"),
        ((8, bandwidth * 8), (13, 2.3e13), "matrix products of decode:\nas many FLOP/byte as sequences"),
    ]
    for point, place, text in remarks:
        axes.annotate(
            text, point, xytext=place, fontsize=9, color="#444444", arrowprops={"arrowstyle": "-", "color": "#999999"}
        )


def draw_step(axes: Any, step: Any, label: str, colour: str) -> None:
    for kernel in step["kernels"]:
        if not kernel["flops"]:
            continue
        share = kernel["bound_s"] / step["kernel_s"]
        axes.scatter(
            kernel["intensity_flop_per_byte"],
            kernel["flops"] / kernel["bound_s"],
            s=30 + 900 * share,
            marker=MARKERS[kernel["group"]],
            color=colour,
            alpha=0.55,
            edgecolor=colour,
            zorder=2,
        )
    axes.scatter(
        [], [], s=60, color=colour, alpha=0.7, label=f"{label}: {1e3 * step['kernel_s']:.1f} ms, {step['regime']}-bound"
    )


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    roofline, output = sys.argv[1:]
    mpl.rcParams["svg.hashsalt"] = "roofline"  # the same figures give the same file
    device = ask(roofline, "device", DEVICE)
    figure, axes = plt.subplots(figsize=(9, 5.4))
    axes.set_xscale("log")
    axes.set_yscale("log")
    draw_roof(axes, device)
    for label, work, colour in STEPS:
        draw_step(axes, ask(roofline, "step", "--model", MODEL, "--device", DEVICE, *work), label, colour)
    for name, marker in (("matrix products", "o"), ("attention", "D")):
        axes.scatter([], [], s=60, marker=marker, color="grey", label=name)
    draw_remarks(axes, device["memory_bytes_per_s"])
    axes.set_xlabel("arithmetic intensity (FLOP/byte)")
    axes.set_ylabel("attainable FLOP/s")
    axes.set_title("Llama-3.1-8B in bf16 on one H100 SXM: each kernel at its bound; area = share of the step's time")
    axes.title.set_fontsize(10.5)
    axes.legend(loc="lower right", fontsize=9, labelspacing=0.7)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.6)
    figure.tight_layout()
    figure.savefig(output, metadata={"Date": None} if output.endswith(".svg") else None, dpi=150)
    return 0


if __name__ == "__main__":
    sys.exit(main())
