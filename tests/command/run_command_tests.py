#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the `roofline` command, run as its users run it: `run_command_tests.py PATH_OF_ROOFLINE`, or ROOFLINE=PATH.

Expected figures are derived beside each test from the published shapes, never taken from the command's own output.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

ROOFLINE = os.environ.get("ROOFLINE", "")
LLAMA_ON_H100 = ["--model", "llama-3.1-8b", "--device", "h100-sxm"]
WORK = ["--batch", "8", "--context", "8192"]
DECODE = [*LLAMA_ON_H100, *WORK]
GEMM = ["gemm", "--tokens", "512", "--k", "4096", "--n", "4096"]
SUBCOMMANDS = [
    "devices",
    "models",
    "device",
    "model",
    "step",
    "memory",
    "kernel",
    "sweep",
    "completion",
    "manual",
    "layout",
]

# Published config of Llama-3.1-8B: 32 layers, hidden 4096, 8 KV heads of 128, MLP 14336, vocabulary 128256, bf16.
LAYER_MATRICES = 4096 * (4096 + 2 * 1024) + 4096 * 4096 + 3 * 4096 * 14336
STREAMED_BYTES = 2 * (32 * LAYER_MATRICES + 4096 * 128256)
KV_BYTES_PER_TOKEN = 32 * 2 * 8 * 128 * 2

# Devices whose figures the tests know because they make them.
DEVICE_FILE = {
    "schema": "roofline-device/1",
    "name": "test device",
    "memory_bytes": 80_000_000_000,
    "memory_bytes_per_s": 3.35e12,
    "peaks_flops": {"bf16": 989.4e12},
}


def roofline(
    *flags: str, status: int | None = 0, text: str | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **(env or {})}
    done = subprocess.run(
        [ROOFLINE, *flags], input=text or "", capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    if status is not None and done.returncode != status:
        raise AssertionError(f"roofline {' '.join(flags)}: exit {done.returncode}, not {status}: {done.stderr}")
    return done


def answer(*flags: str, status: int = 0) -> Any:
    return json.loads(roofline(*flags, "--json", status=status).stdout)


def complaint(*flags: str, text: str | None = None) -> str:
    """The one message of bad input: exit 2, one line on standard error, nothing on standard output."""
    done = roofline(*flags, status=2, text=text)
    if done.stdout or done.stderr.count("\n") != 1:
        raise AssertionError(f"roofline {' '.join(flags)}: not one message: {done.stdout!r} {done.stderr!r}")
    return done.stderr


def on_terminal(*flags: str, env: dict[str, str]) -> str:
    """What the command writes when its standard output is a terminal."""
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | env
    ours, theirs = pty.openpty()
    process = subprocess.Popen([ROOFLINE, *flags], stdout=theirs, stderr=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    written = b""
    try:
        while chunk := os.read(ours, 65536):
            written += chunk
    except OSError:  # Linux says EIO when the other end is closed
        pass
    os.close(ours)
    process.wait(timeout=60)
    return written.decode()


def struct_fields(layout: Any, name: str) -> set[str]:
    fields = next(struct["fields"] for struct in layout["structs"] if struct["name"] == name)
    return (
        {field["field"] for field in fields}
        - {"struct_size"}
        - {f["field"] for f in fields if f["field"].startswith("padding")}
    )


class General(unittest.TestCase):
    def test_version_names_library_abi_and_catalogue_date(self) -> None:
        text = roofline("--version").stdout
        self.assertRegex(
            text, r"^roofline \d+\.\d+\.\d+\nlibroofline \d+\.\d+\.\d+, ABI \d+\ncatalogue of \d{4}-\d\d-\d\d"
        )

    def test_unknown_subcommand_lists_all(self) -> None:
        message = complaint("solve")
        for name in SUBCOMMANDS:
            self.assertIn(name, message)
        self.assertIn("subcommand is missing", complaint())
        self.assertNotIn("did you mean", complaint("solve"))
        self.assertIn("did you mean sweep?", complaint("swep"))
        self.assertIn("'stpe' is no subcommand; did you mean step? There are devices, ", complaint("stpe"))

    def test_help_is_a_word_too(self) -> None:
        self.assertEqual(roofline("help").stdout, roofline("--help").stdout)
        self.assertEqual(roofline("help", "step").stdout, roofline("step", "--help").stdout)
        self.assertIn("did you mean step?", complaint("help", "setp"))
        self.assertIn("shortened to any unique beginning", " ".join(roofline("help").stdout.split()))
        mix = " ".join(roofline("step", "--help").stdout.split())
        self.assertIn("context_tokens includes the new tokens; logit_rows 0 or left out is one row", mix)

    def test_help_of_every_subcommand_is_narrow_and_complete(self) -> None:
        for name in SUBCOMMANDS:
            for flag in ("--help", "-h"):
                text = roofline(name, flag).stdout
                self.assertTrue(text.startswith(f"usage: roofline {name}"), name)
                self.assertLessEqual(max(map(len, text.splitlines())), 100, name)
        text = roofline("--help").stdout
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        for name in SUBCOMMANDS:
            self.assertRegex(text, rf"(?m)^  {name} ")

    def test_example_of_every_help_runs(self) -> None:
        for name in SUBCOMMANDS:
            example = re.search(r"Example\n  (roofline .*)\n", roofline(name, "--help").stdout)
            if example and "|" not in example.group(1):
                roofline(*example.group(1).split()[1:], status=None if name == "memory" else 0)

    def test_every_field_of_a_deployment_has_a_flag(self) -> None:
        named_otherwise = {"linear_arithmetic": "arithmetic"}
        help_text = roofline("step", "--help").stdout
        for field in struct_fields(json.loads(roofline("layout").stdout), "roofline_deployment"):
            self.assertRegex(help_text, rf"--{named_otherwise.get(field, field).replace('_', '-')} ", field)

    def test_numbers_do_not_follow_the_locale(self) -> None:
        plain = roofline("step", *DECODE, "--json", env={"LC_ALL": "C"}).stdout
        german = roofline("step", *DECODE, "--json", env={"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}).stdout
        self.assertEqual(plain, german)
        self.assertIn("0,9", complaint("step", *DECODE, "--memory-fraction", "0,9"))

    def test_emphasis_on_a_terminal_only(self) -> None:
        self.assertNotIn("\033", roofline("step", *DECODE).stdout)
        self.assertIn("\033[1m", on_terminal("step", *DECODE, env={"TERM": "xterm"}))
        self.assertIn("\033[1m", on_terminal("step", *DECODE, env={"TERM": "xterm", "NO_COLOR": ""}))
        self.assertNotIn("\033", on_terminal("step", *DECODE, env={"TERM": "xterm", "NO_COLOR": "1"}))
        self.assertNotIn("\033", on_terminal("step", *DECODE, env={"TERM": "dumb"}))

    def test_text_fits_100_columns(self) -> None:
        for flags in (
            ["step", *DECODE, "--kernels"],
            ["memory", *LLAMA_ON_H100, "--context", "8192"],
            ["devices"],
            ["models"],
            ["device", "h100-sxm"],
            ["model", "gemma-2-9b"],
            ["model", "qwen3-30b-a3b"],
            ["step", "--model", "qwen3-30b-a3b", "--device", "h100-sxm", *WORK, "--kernels"],
            ["kernel", "--device", "h100-sxm", *GEMM],
            ["sweep", *LLAMA_ON_H100, "--batch", "1:512", "--context", "1024,131072"],
        ):
            text = roofline(*flags, status=None).stdout
            self.assertLessEqual(max(map(len, text.splitlines())), 100, flags)

    @unittest.skipUnless(Path("/dev/full").exists(), "there is no /dev/full")
    def test_a_full_disk_is_reported(self) -> None:
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([ROOFLINE, "devices"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output cannot be written", done.stderr)


class Flags(unittest.TestCase):
    def test_message_names_the_flag_and_the_remedy(self) -> None:
        step = ["step", *LLAMA_ON_H100]
        cases: list[tuple[list[str], str]] = [
            (["step"], r"needs --model MODEL"),
            ([*step], r"there is no work; give --batch B --context S, --prefill B:N or --mix FILE"),
            ([*step, "--batch", "1"], r"--batch needs --context"),
            ([*step, "--context", "1"], r"--context needs --batch"),
            ([*step, "--batch", "x", "--context", "3"], r"--batch: 'x' is no whole number"),
            ([*step, "--batch", " 8", "--context", "3"], r"--batch: ' 8' is no whole number"),
            ([*step, "--batch", "1e3", "--context", "3"], r"--batch: '1e3' is no whole number"),
            ([*step, "--batch", "99999999999999999999", "--context", "3"], r"--batch: '9+' is too large$"),
            ([*step, "--batch", "1", "--context", "4k"], r"--context: '4k' is no .*; counts take no suffix$"),
            ([*step, "--capacity-bytes", "9" * 20], r"--capacity-bytes: '9+' is too large$"),
            ([*step, "--batch", "0", "--context", "3"], r"--batch: count is 0; it must be from 1 to"),
            ([*step, "--batch", "-1", "--context", "3"], r"--batch: count is -1; it must be from 1 to"),
            ([*step, "--batch", "1", "--context", "-3"], r"--context: .*from 1 to"),
            ([*step, "--prefill", "4"], r"--prefill: '4' is not B:N"),
            ([*step, "--prefill", "1:8", "--prefill", "4:0"], r"--prefill 4:0: new_tokens is 0; it must be from 1 to"),
            ([*step, "--batch", "1", "--batch", "1"], r"--batch is given twice"),
            ([*step, "--batch"], r"--batch needs a value: B"),
            ([*step, "--bogus"], r"--bogus is unknown; `roofline step --help`"),
            ([*step, "--bach", "1"], r"--bach is unknown; did you mean --batch\? `roofline step --help`"),
            ([*step, "-x"], r"-x is unknown"),
            ([*step, "--b", "1"], r"--b is short for several flags: --batch, --block-tokens"),
            ([*step, "--json=1"], r"--json takes no value"),
            ([*step, "extra"], r"does not know what to do with 'extra'"),
            ([*step, "--batch", "1", "--context", "1", "--json", "--csv"], r"--json and --csv exclude each other"),
            (["step", *DECODE, "--weights", "fp7"], r"--weights: 'fp7' is no FORMAT; the words are .*bf16"),
            (["step", *DECODE, "--traffic", "x"], r"--traffic: 'x' is no POLICY; the words are compulsory, streamed"),
            (["step", *DECODE, "--tp", "2"], r"--tp is 2"),
            (["step", *DECODE, "--tp", "4294967297"], r"--tp: '4294967297' is no whole number"),
            (["step", *DECODE, "--memory-fraction", "1.5"], r"--memory-fraction: .*1\.5"),
            (["step", *DECODE, "--memory-fraction", "0x1p-1"], r"--memory-fraction: '0x1p-1' is no number"),
            (["step", *DECODE, "--memory-fraction", "nan"], r"--memory-fraction: 'nan' is no number"),
            (["step", *DECODE, "--host-s-per-step", "inf"], r"--host-s-per-step: 'inf' is no number"),
            (
                ["step", *DECODE, "--capacity-bytes", "80GB"],
                r"--capacity-bytes: '80GB' is no whole number of bytes, such as",
            ),
            (
                ["step", *DECODE, "--capacity-bytes", "1.0000000001k"],
                r"--capacity-bytes: .* is no whole number of bytes",
            ),
            (["step", *DECODE, "--activation-bytes", "-1"], r"--activation-bytes: '-1' is no .* estimate"),
            (["step", *DECODE, "--block-tokens", "-1"], r"--block-tokens is -1; it must be above 0"),
            (["step", *DECODE, "--block-tokens", "4097"], r"--block-tokens is 4097"),
            (["memory", *LLAMA_ON_H100], r"needs --context S"),
            (["memory", *LLAMA_ON_H100, "--context", "8", "--batch", "0"], r"--batch is 0"),
            (["kernel", "--device", "h100-sxm"], r"needs gemm\|attention\|given"),
            (["kernel", *GEMM], r"needs --device"),
            (["kernel", "--device", "h100-sxm", "conv"], r"'conv' is no kernel"),
            (["kernel", "--device", "h100-sxm", "gemm", "--tokens", "1", "--k", "2"], r"gemm needs --n N"),
            (
                ["kernel", "--device", "h100-sxm", "gemm", "--heads", "1"],
                r"--heads must follow the word attention, not gemm",
            ),
            (["kernel", "--tokens", "1"], r"--tokens must follow the word gemm"),
            (["kernel", "--device", "h100-sxm", "given", "--flops", "1", "--bytes", "1"], r"--format: "),
            (["kernel", "--device", "h100-sxm", *GEMM, "--measured-s", "0"], r"--measured-s must be above 0"),
            (["sweep", *LLAMA_ON_H100, "--batch", "4:2", "--context", "1"], r"--batch: '4:2' needs 1 <= FIRST <= LAST"),
            (["sweep", *LLAMA_ON_H100, "--batch", "1:8:0", "--context", "1"], r"--batch: '1:8:0' needs a STEP"),
            (["sweep", *LLAMA_ON_H100, "--batch", "1,,2", "--context", "1"], r"--batch: '1,,2' is no list"),
            (["sweep", *LLAMA_ON_H100, "--batch", "1", "--context", "4k"], r"--context: '4k' is no .* take no suffix"),
            (["sweep", *LLAMA_ON_H100, "--batch", "1:" + "9" * 20, "--context", "1"], r"--batch: .* is too large$"),
            (["sweep", *LLAMA_ON_H100, "--batch", "1:9999999:1", "--context", "1"], r"--batch: .*has more than"),
            (
                ["sweep", *LLAMA_ON_H100, "--batch", "1:20000:1", "--context", "1"],
                r"20,000 points are too many for a table",
            ),
            (["completion", "zsh"], r"there is no script for 'zsh'"),
        ]
        for flags, expected in cases:
            with self.subTest(flags=flags):
                self.assertRegex(complaint(*flags), f"^roofline {flags[0]}: {expected}")

    def test_an_explicit_0_never_means_the_default(self) -> None:
        for flag in ("--memory-fraction", "--capacity-bytes", "--block-tokens", "--token-budget"):
            for zero in ("0", "-0"):
                for command in (["step", *DECODE], ["memory", *LLAMA_ON_H100, "--context", "8"]):
                    with self.subTest(flag=flag, zero=zero, command=command[0]):
                        message = complaint(*command, flag, zero)
                        self.assertRegex(message, rf": {flag} is {zero}; it must be above 0 \(.*left out: ")
        attention = ["attention", "--heads", "8", "--kv-heads", "8", "--head-dim", "64", "--new", "1", "--context", "9"]
        for kernel in (
            [*GEMM, "--output-columns"],
            [*attention, "--count"],
            [*attention, "--value-head-dim"],
            [*attention, "--window"],
        ):
            message = complaint("kernel", "--device", "h100-sxm", *kernel, "0")
            self.assertRegex(message, rf": {kernel[-1]} is 0; it must be above 0 \(.*left out: ")
        for flag in ("--tp", "--pp", "--ep", "--dp"):
            self.assertRegex(complaint("step", *DECODE, flag, "0"), rf"{flag}: '0' is no .*count of ranks")

    def test_a_0_that_has_a_meaning_is_taken(self) -> None:
        flags = ["--reserve-bytes", "--activation-bytes", "--output-slots", "--host-s-per-step"]
        zeros = [word for flag in flags for word in (flag, "0")]
        memory = answer("step", *DECODE, *zeros)["memory"]
        self.assertEqual((memory["reserve_bytes"], memory["activation_bytes"]), (0, 0))
        self.assertEqual(memory["kv_bytes_per_sequence"], 8192 * KV_BYTES_PER_TOKEN)

    def test_a_name_that_is_neither_file_nor_catalogue_says_both(self) -> None:
        self.assertRegex(complaint("device", "h1000"), r"catalogue has no device 'h1000'.*nor is there a file")
        self.assertRegex(
            complaint("model", "x/y.json"), r"x/y\.json: there is no such file, and the catalogue has no model"
        )

    def test_suffixes_of_bytes(self) -> None:
        for text, expected in {
            "80G": 80e9,
            "79Gi": 79 * 2**30,
            "1.5Ti": 1.5 * 2**40,
            "512Mi": 2**29,
            "64000000k": 64e9,
        }.items():
            self.assertEqual(
                answer("step", *DECODE, "--capacity-bytes", text)["plan"]["capacity_bytes"], expected, text
            )

    def test_spelling_of_names_and_abbreviated_flags(self) -> None:
        same = answer("step", "--model", "Llama 3.1 8B", "--device", "H100_SXM", "--bat", "8", "--cont=8192")
        self.assertEqual(same, answer("step", *DECODE))


class Inputs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, content: str) -> str:
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        return str(path)

    def test_device_round_trips_through_a_file_and_standard_input(self) -> None:
        text = roofline("device", "h100-sxm", "--json").stdout
        path = self.write("device.json", text)
        self.assertEqual(roofline("device", path, "--json").stdout, text)
        self.assertEqual(roofline("device", "-", "--json", text=text).stdout, text)

    def test_model_round_trips_through_a_file_and_standard_input(self) -> None:
        text = roofline("model", "gemma-2-9b", "--json").stdout
        again = json.loads(roofline("model", "-", "--json", text=text).stdout)
        first = json.loads(text)
        self.assertEqual(
            {k: v for k, v in again.items() if k != "notes"}, {k: v for k, v in first.items() if k != "notes"}
        )

    def test_experts_are_shown_where_a_model_has_them(self) -> None:
        group = {
            "gated_mlp": True,
            "layers": 3,
            "query_heads": 32,
            "kv_heads": 8,
            "head_dim": 128,
            "intermediate": 11264,
            "experts": 256,
            "experts_per_token": 8,
            "expert_intermediate": 2048,
        }
        dense = group | {"experts": 0, "experts_per_token": 0, "expert_intermediate": 0}
        other = group | {"layers": 48, "intermediate": 0, "experts": 128, "window_tokens": 131072}
        model = {
            "schema": "roofline-model/1",
            "name": "experts",
            "format": "bf16",
            "hidden": 4096,
            "vocab": 128256,
            "groups": [dense, group, other],
        }
        path = self.write("experts.json", json.dumps(model))
        # qkv and output 4096 (32 + 2 8 + 32) 128, an MLP 3 4096 11264, a router 4096 E, an expert 3 4096 2048
        always, mlp, expert = 4096 * 80 * 128, 3 * 4096 * 11264, 3 * 4096 * 2048
        used = 6 * (always + mlp) + 3 * (4096 * 256 + 8 * expert) + 48 * (always + 4096 * 128 + 8 * expert)
        streamed = used + 4096 * 128256
        total = streamed + 4096 * 128256 + (3 * 248 + 48 * 120) * expert
        text = roofline("model", path).stdout
        self.assertIn(f"{total:,}, of which a step of one token reads {streamed:,} as whole", text)
        self.assertIn(f"{streamed + 4096 * 128256:,} active for one token, input embedding included", text)
        rows = [re.split(r"  +", line.strip()) for line in text.splitlines() if line.count("gated")]
        self.assertEqual(
            [row[-3:] for row in rows],
            [
                ["11,264", "gated", "-"],
                ["11,264", "gated", "8 of 256, 2,048 wide"],
                ["-", "gated", "8 of 128, 2,048 wide"],
            ],
        )
        self.assertNotIn("experts", roofline("model", "llama-3.1-8b").stdout)
        step = ["step", "--model", path, "--device", "h100-sxm", "--batch", "8192", "--context", "131072", "--kernels"]
        priced = roofline(*step, status=None).stdout
        self.assertLessEqual(max(map(len, (text + priced).splitlines())), 100)
        self.assertRegex(priced, r"(?m)^experts gate and up .*\n  8 of 256, 2048 wide *$")
        self.assertIn(f"a step of one token reads {streamed:,} as whole", priced)

    def test_a_step_says_how_many_experts_it_expects(self) -> None:
        # 128 experts, 8 a token: exactly 8 for one token, 128 (1 - (15/16)^32) for 32
        for batch, active in (("1", 8.0), ("32", 128 * (1 - (15 / 16) ** 32))):
            step = answer(
                *("step", "--model", "qwen3-30b-a3b", "--device", "h100-sxm"),
                *("--batch", batch, "--context", "1024", "--kernels"),
            )
            experts = [row["active_experts"] for row in step["kernels"] if row["active_experts"]]
            self.assertEqual(len(experts), 2)
            for number in experts:
                self.assertAlmostEqual(number, active, places=10)
            self.assertIn("expected_experts", {note["code"] for note in step["notes"]})

    def test_model_from_a_config_and_its_folder(self) -> None:
        config = {
            "model_type": "llama",
            "hidden_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "intermediate_size": 128,
            "vocab_size": 100,
            "torch_dtype": "bfloat16",
            "tie_word_embeddings": False,
        }
        path = self.write("config.json", json.dumps(config))
        # qkv 64 (64 + 2 32), o 64 64, MLP 3 64 128, two norms; embedding and logits 64 100; the last norm
        parameters = 2 * (64 * 128 + 64 * 64 + 3 * 64 * 128 + 2 * 64) + 2 * 64 * 100 + 64
        for name in (path, str(self.folder), str(self.folder) + "/"):
            self.assertEqual(answer("model", name)["parameters_total"], parameters)

    def test_a_folder_of_a_catalogue_name_does_not_hide_the_catalogue(self) -> None:
        (self.folder / "llama-3.1-8b").mkdir()
        done = subprocess.run(
            [os.path.abspath(ROOFLINE), "model", "llama-3.1-8b", "--json"],
            cwd=self.folder,
            text=True,
            capture_output=True,
            check=True,
        )
        self.assertEqual(json.loads(done.stdout)["parameters_total"], 8_030_261_248)

    def test_broken_files_name_file_line_and_path(self) -> None:
        path = self.write("device.json", '{\n"schema": "roofline-device/1",}')
        self.assertRegex(complaint("device", path), rf"^roofline device: {re.escape(path)}: line 2\b")
        path = self.write("device.json", json.dumps(DEVICE_FILE | {"peaks_flops": {"bf16": -1}}))
        self.assertRegex(complaint("device", path), rf"^roofline device: {re.escape(path)}: /peaks_flops/bf16: ")
        self.assertIn("standard input: line 1", complaint("model", "-", text="[1"))

    def test_a_file_of_the_other_kind_is_sent_to_its_flag(self) -> None:
        config = self.write("config.json", '{"model_type": "llama"}')
        device = self.write("device.json", json.dumps(DEVICE_FILE))
        is_config, is_device = (
            r"; is this a model's config\.json\? give it to ",
            r"; is this a device's file\? give it to ",
        )
        self.assertRegex(
            complaint("step", "--model", "llama-3.1-8b", "--device", config, *WORK), f"/schema: .*{is_config}--model$"
        )
        self.assertRegex(
            complaint("step", "--model", device, "--device", "h100-sxm", *WORK), f"/schema: .*{is_device}--device$"
        )
        self.assertRegex(complaint("device", "-", text='{"model_type": 1}'), f"{is_config}`roofline model`$")
        self.assertRegex(complaint("model", device), f"{is_device}`roofline device`$")
        self.assertNotIn("is this", complaint("device", "-", text="{}"))

    def test_only_one_flag_reads_standard_input(self) -> None:
        self.assertIn(
            "only one flag", complaint("step", "--model", "-", "--device", "-", "--batch", "1", "--context", "1")
        )

    def test_mix_equals_the_flags_it_spells_out(self) -> None:
        groups = [
            {"count": 8, "new_tokens": 1, "context_tokens": 8192},
            {"count": 2, "new_tokens": 512, "context_tokens": 512},
        ]
        path = self.write("mix.json", json.dumps(groups))
        by_flags = answer("step", *DECODE, "--prefill", "2:512")
        self.assertEqual(answer("step", *LLAMA_ON_H100, "--mix", path), by_flags)
        self.assertEqual(
            json.loads(roofline("step", *LLAMA_ON_H100, "--mix", "-", "--json", text=json.dumps(groups)).stdout),
            by_flags,
        )
        self.assertEqual(by_flags["logit_rows"], 10)
        silent = self.write("silent.json", json.dumps([groups[0] | {"logit_rows": -1}]))
        self.assertEqual(answer("step", *LLAMA_ON_H100, "--mix", silent)["logit_rows"], 0)

    def test_broken_mixes_name_file_and_path(self) -> None:
        whole = '{"count": 1, "new_tokens": 1, "context_tokens": 8}'
        for text, expected in {
            f"[{whole},\n{{]": r"line 2: is not JSON",
            f"[{whole}]\n\nx": r"line 3: there is text after the array",
            "{}": r"must be an array",
            "[]": r"the array has no group",
            "[1]": r"/0: must be an object",
            f'[{whole}, {{"count": 1, "new_tokens": 1}}]': r"/1/context_tokens: the key is missing",
            '[{"count": 1.5}]': r"/0/count: must be a whole number",
            '[{"count": "1"}]': r"/0/count: must be a whole number",
            '[{"count": 1e300}]': r"/0/count: must be a whole number",
            '[{"count": 1, "count": 1}]': r"/0/count: the key is there twice",
            '[{"cuont": 1}]': r"/0/cuont: the key is unknown; the keys are count",
            f'[{whole}, {{"count": 1, "new_tokens": 9, "context_tokens": 8}}]': r"/1/context_tokens: .*from 9"
            r".*\(context_tokens includes the new tokens\)$",
            '[{"new\\n\\u001btoken": 1}]': r"/0/new\?\?token: the key is unknown",
            f'[{{"{"k" * 62}é": 1}}]': r"/0/k{62}: the key is unknown",
        }.items():
            path = self.write("mix.json", text)
            with self.subTest(text=text):
                self.assertRegex(complaint("step", *DECODE, "--mix", path), rf"{re.escape(path)}: {expected}")

    def test_a_mix_is_read_as_strictly_as_json_is_defined(self) -> None:
        rest = '"new_tokens": 1, "context_tokens": 8}]'
        refused = [('\ufeff[{"count": 1, ' + rest, "line 1: starts with a byte order mark")]
        for number in ("01", "-01", "1.", "1.e3", "1e", "1e+", "-"):
            refused.append((f'[{{\n"count": {number}, {rest}', "line 2: has a number that JSON does not allow"))
        for key in (r"count\u0000zzz", r"\\\u0000"):
            refused.append((f'[{{\n\n"{key}": 1, {rest}', r"line 3: has \\u0000"))
        for key in ("count\0zzz", "count\x01", "count\n"):
            refused.append((f'[{{"{key}": 1, {rest}', "line 1: has a control character"))
        refused.append((f'[{{"count":\x01 1, {rest}', "line 1: has a control character"))
        for number in ("9007199254740993", "9007199254740993.0", "-9007199254740993", "9007199254740992"):
            refused.append((f'[{{"count": {number}, {rest}', r"/0/count: must be a whole number below 2\^53"))
        for text, expected in refused:
            path = self.write("mix.json", text)
            with self.subTest(text=text):
                self.assertRegex(complaint("step", *DECODE, "--mix", path), rf"{re.escape(path)}: {expected}")
        for count in ("8", "8.0", "80e-1", "0.8E+1", "0.8e1"):
            path = self.write("mix.json", f'\t[{{"c\\u006funt":\r\n{count}, {rest}\n')
            self.assertEqual(answer("step", *LLAMA_ON_H100, "--mix", path)["sequences"], 8, count)

    def test_a_group_of_a_mix_is_named_once(self) -> None:
        path = self.write("mix.json", '[{"count": -1, "new_tokens": 1, "context_tokens": 8}]')
        message = complaint("step", *DECODE, "--mix", path)
        self.assertRegex(message, rf"^roofline step: {re.escape(path)}: /0/count: count is -1; it must be from 1 to")


class Figures(unittest.TestCase):
    """One worked case by each subcommand; the library's own suites hold the rest."""

    def test_decode_step_of_the_published_example(self) -> None:
        # Weights and KV cache over 3.35 TB/s: (15.009 GB + 8 x 8192 x 131072 B) / 3.35e12 = 7.045 ms.
        step = answer("step", *DECODE, "--traffic", "streamed")
        bound = (STREAMED_BYTES + 8 * 8192 * KV_BYTES_PER_TOKEN) / 3.35e12
        self.assertAlmostEqual(step["kernel_s"] / bound, 1, delta=1e-12)
        self.assertEqual((step["regime"], step["weight_bytes"], step["fits"]), ("memory", STREAMED_BYTES, True))
        self.assertAlmostEqual(step["tokens_per_s"] * bound, 8, delta=1e-9)
        text = roofline("step", *DECODE, "--traffic", "streamed").stdout
        for expected in ("7.045 ms", "15.01 GB", "131,072 bytes a token", "8,030,261,248"):
            self.assertIn(expected, text)

    def test_kernels_of_a_step_add_up(self) -> None:
        step = answer("step", *DECODE)
        self.assertAlmostEqual(sum(kernel["bound_s"] for kernel in step["kernels"]), step["kernel_s"], delta=1e-15)
        rows = list(csv.DictReader(io.StringIO(roofline("step", *DECODE, "--csv").stdout)))
        self.assertEqual([row["name"] for row in rows], [kernel["name"] for kernel in step["kernels"]])
        self.assertEqual([float(row["flops"]) for row in rows], [kernel["flops"] for kernel in step["kernels"]])
        table = roofline("step", *DECODE, "--kernels").stdout
        for kernel in step["kernels"]:
            self.assertRegex(table, rf"(?m)^{kernel['name']} ")

    def test_a_step_that_does_not_fit_is_priced_with_a_warning(self) -> None:
        done = roofline(
            "step", "--model", "llama-3.1-70b", "--device", "h100-sxm", "--prefill", "1:512", "--json", status=0
        )
        step = json.loads(done.stdout)
        self.assertFalse(step["fits"])
        self.assertEqual(step["fit_reason"], "weights")
        self.assertRegex(done.stderr, r"^roofline step: warning: .*does not fit: it needs .* too many")
        self.assertGreater(step["short_bytes"], 0)

    def test_memory_says_no_with_exit_1(self) -> None:
        yes = answer(
            "memory", *LLAMA_ON_H100, "--context", "8192", "--capacity-bytes", "80G", "--activation-bytes", "0"
        )
        # 0.9 x 80 GB - 16.06 GB over 8192 + 1 cells in whole blocks of 16, 8208 x 131072 B: 51.99.
        self.assertEqual((yes["fits"], yes["max_sequences"]), (True, 51))
        no = answer(
            "memory",
            *LLAMA_ON_H100,
            "--context",
            "8192",
            "--batch",
            "52",
            "--capacity-bytes",
            "80G",
            "--activation-bytes",
            "0",
            status=1,
        )
        self.assertEqual((no["fits"], no["reason"], no["sequences"]), (False, "kv", 52))

    def test_step_and_memory_agree_where_a_step_has_one_group(self) -> None:
        memory = answer("memory", *DECODE)
        step = answer("step", *DECODE)
        self.assertEqual({key: memory[key] for key in step["memory"]}, step["memory"])

    def test_memory_of_a_prefill_behind_a_window_is_its_own(self) -> None:
        # starcoder2-7b: 32 layers, 4 KV heads of 128, bf16, window 4096. A whole prompt of 16384 holds all of its
        # tokens and the output slot, 16385 in blocks of 16, while a decode at that context holds a quarter of them.
        flags = ["--model", "starcoder2-7b", "--device", "h100-sxm"]
        step = answer("step", *flags, "--prefill", "60:16384")
        memory = step["memory"]
        self.assertEqual(memory["kv_bytes_per_sequence"], 16400 * 32 * 2 * 4 * 128 * 2)
        self.assert_memory_adds_up(step, 60)
        room = memory["max_sequences"]
        self.assertLess(room, 60)
        self.assertFalse(memory["fits"])
        self.assertIn(f"room for {room} such sequences", roofline("step", *flags, "--prefill", "60:16384").stdout)
        self.assertTrue(answer("step", *flags, "--prefill", f"{room}:16384")["fits"])
        self.assertFalse(answer("step", *flags, "--prefill", f"{room + 1}:16384")["fits"])
        self.assertGreater(answer("step", *flags, "--batch", "1", "--context", "16384")["memory"]["max_sequences"], 60)

    def test_memory_of_a_chunk_behind_a_window_is_its_own(self) -> None:
        flags = ["step", "--model", "starcoder2-7b", "--device", "h100-sxm", "--mix", "-", "--json"]

        def chunks(count: int) -> Any:
            group = {"count": count, "new_tokens": 2048, "context_tokens": 16384}
            return json.loads(roofline(*flags, text=json.dumps([group])).stdout)

        step = chunks(7)
        self.assert_memory_adds_up(step, 7)
        room = step["memory"]["max_sequences"]
        self.assertEqual((chunks(room)["fits"], chunks(room + 1)["fits"]), (True, False))

    def assert_memory_adds_up(self, step: Any, sequences: int) -> None:
        memory = step["memory"]
        fixed = memory["weight_bytes"] + memory["activation_bytes"] + memory["reserve_bytes"]
        self.assertEqual(memory["required_bytes"], fixed + sequences * memory["kv_bytes_per_sequence"])
        self.assertEqual(memory["required_bytes"], step["required_bytes"])
        self.assertEqual(memory["max_sequences"], memory["pool_bytes"] // memory["kv_bytes_per_sequence"])

    def test_a_mixed_step_has_no_room_for_such_sequences(self) -> None:
        flags = ["step", *DECODE, "--prefill", "2:512"]
        memory = answer(*flags)["memory"]
        self.assertEqual((memory["kv_bytes_per_sequence"], memory["max_sequences"]), (None, None))
        text = roofline(*flags).stdout
        self.assertIn("left for KV", text)
        self.assertNotIn("room for", text)

    def test_a_rate_per_sequence_is_of_sequences_that_are_alike(self) -> None:
        def rate(*work: str) -> str:
            text = roofline("step", *LLAMA_ON_H100, *work).stdout
            return next(line for line in text.splitlines() if line.startswith("  tokens/s"))

        self.assertRegex(rate(*WORK), r" in all, [\d,.]+ per sequence$")
        self.assertRegex(rate("--prefill", "2:512"), r" [\d,.]+ prompt tokens in all, [\d,.]+ per sequence$")
        self.assertRegex(rate("--prefill", "2:512", "--prefill", "1:9"), r" [\d,.]+ prompt tokens in all$")
        mixed = ["--batch", "8", "--context", "8192", "--prefill", "2:512"]
        said = re.search(r" in all, ([\d,.]+) per decoding sequence$", rate(*mixed))
        self.assertIsNotNone(said)
        if said:
            per_s = 1 / answer("step", *LLAMA_ON_H100, *mixed)["kernel_s"]
            self.assertAlmostEqual(float(said.group(1).replace(",", "")) / per_s, 1, delta=1e-3)

    def test_kernel_crossovers(self) -> None:
        # bf16 on 989.4 TFLOP/s and 3.35 TB/s: ridge 295.34 tokens by the weight alone; 345.11 for a 4096 x 4096
        # product with its activations, from 1 / (1 / 295.34 - 2 / 4096); never for widths up to 590.
        gemm = answer("kernel", "--device", "h100-sxm", *GEMM)["kernels"][0]
        self.assertEqual(gemm["crossover"]["least_tokens_streamed"], 296)
        self.assertEqual(gemm["crossover"]["least_tokens_compulsory"], 346)
        self.assertEqual(gemm["work"]["flops"], 2 * 512 * 4096 * 4096)
        self.assertEqual(gemm["bound"]["regime"], "compute")
        narrow = answer("kernel", "--device", "h100-sxm", "gemm", "--tokens", "1", "--k", "590", "--n", "590")[
            "kernels"
        ][0]
        self.assertEqual(narrow["crossover"]["answer"], "never")
        self.assertIsNone(narrow["crossover"]["tokens_compulsory"])

    def test_a_kernel_without_work_claims_nothing(self) -> None:
        nothing = ["given", "--flops", "0", "--bytes", "0"]
        self.assertFalse(answer("kernel", "--device", "h100-sxm", *nothing)["kernels"][0]["bound"]["cache_resident"])
        text = roofline("kernel", "--device", "h100-sxm", *nothing, *nothing).stdout
        self.assertEqual(len(re.findall(r"(?m)^  bound +0 s: there is no work$", text)), 2)
        self.assertRegex(text, r"(?m)^  work +none$")
        for claim in ("last-level cache", "-bound", "limited by", "ridge"):
            self.assertNotIn(claim, text)

    def test_kernels_are_composed_in_order(self) -> None:
        both = answer(
            "kernel",
            "--device",
            "h100-sxm",
            "given",
            "--flops",
            "989.4e9",
            "--bytes",
            "0",
            "--format",
            "bf16",
            "given",
            "--flops",
            "0",
            "--bytes",
            "3.35G",
        )
        # One ms of compute and one ms of traffic: together 1 ms when they overlap, 2 ms one after the other.
        self.assertEqual([kernel["bound"]["regime"] for kernel in both["kernels"]], ["compute", "memory"])
        self.assertAlmostEqual(both["compose"]["aggregate_s"], 1e-3, delta=1e-15)
        self.assertAlmostEqual(both["compose"]["kernel_s"], 2e-3, delta=1e-15)

    def test_a_measurement_faster_than_the_bound_is_said_not_clipped(self) -> None:
        flags = [
            "kernel",
            "--device",
            "h100-sxm",
            "attention",
            "--heads",
            "32",
            "--kv-heads",
            "8",
            "--head-dim",
            "128",
            "--new",
            "1",
            "--context",
            "8192",
            "--measured-s",
            "5e-6",
        ]
        # K and V of 8192 tokens and 8 heads are 33.6 MB, below the 50 MiB of L2: 10.02 us cold.
        measured = answer(*flags)["measured"]
        self.assertTrue(measured["faster_than_bound"] and measured["cache_resident"])
        self.assertGreater(measured["fraction_of_bound"], 2)
        self.assertIn("faster than the bound, which is of cold caches", roofline(*flags).stdout)
        slow = answer("kernel", "--device", "h100-sxm", *GEMM, "--measured-s", "1")["measured"]
        self.assertFalse(slow["faster_than_bound"])

    def test_sweep_equals_step(self) -> None:
        points = answer("sweep", *LLAMA_ON_H100, "--batch", "1:12", "--context", "1024:3072:1024", "--kv", "fp8")
        self.assertEqual(
            [(p["count"], p["context_tokens"]) for p in points],
            [(b, s) for s in (1024, 2048, 3072) for b in (1, 2, 4, 8, 12)],
        )
        step = answer("step", *LLAMA_ON_H100, "--batch", "12", "--context", "2048", "--kv", "fp8")
        point = points[9]
        for key in set(point) - {"count", "context_tokens", "status", "new_tokens"}:
            self.assertEqual(point[key], step[key], key)

    def test_sweep_csv_has_the_points_of_the_json(self) -> None:
        flags = ["sweep", *LLAMA_ON_H100, "--batch", "0,1", "--context", "1024"]
        rows = list(csv.DictReader(io.StringIO(roofline(*flags, "--csv").stdout)))
        points = answer(*flags)
        self.assertEqual([row["status"] for row in rows], ["range", "ok"])
        self.assertEqual((rows[0]["kernel_s"], points[0]["kernel_s"]), ("", None))
        self.assertEqual(float(rows[1]["kernel_s"]), points[1]["kernel_s"])
        self.assertEqual((rows[1]["regime"], rows[1]["fits"]), ("memory", "true"))
        self.assertEqual(list(rows[0]), list(points[0]))

    def test_sweep_lists_the_assumptions_of_step(self) -> None:
        sweep = roofline("sweep", *LLAMA_ON_H100, "--batch", "8", "--context", "8192").stdout
        notes = roofline("step", *DECODE).stdout.partition("\nassumptions\n")[2]
        self.assertTrue(notes)
        self.assertEqual(sweep.partition("\nassumptions\n")[2], notes)

    def test_a_long_sweep_is_whole(self) -> None:
        text = roofline("sweep", *LLAMA_ON_H100, "--batch", "1:200:1", "--context", "1000:2000:20", "--csv").stdout
        self.assertEqual(text.count("\n"), 1 + 200 * 51)


class Keys(unittest.TestCase):
    """The keys of JSON are the fields of the structs, as the library itself lists them."""

    layout: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.layout = json.loads(roofline("layout").stdout)

    def fields(self, name: str) -> set[str]:
        return struct_fields(self.layout, name)

    def test_step(self) -> None:
        step = answer("step", *DECODE)
        beside = {"model", "device", "plan", "work", "memory", "kernels", "notes"}
        self.assertEqual(set(step), self.fields("roofline_step_result") | beside)
        self.assertEqual(set(step["model"]), self.fields("roofline_model_info_result"))
        self.assertEqual(set(step["plan"]), self.fields("roofline_plan_info_result"))
        self.assertEqual(set(step["memory"]), self.fields("roofline_memory_result") | {"context_tokens"})
        self.assertEqual(set(step["work"][0]), self.fields("roofline_sequences"))
        for kernel in step["kernels"]:
            self.assertEqual(set(kernel), self.fields("roofline_kernel") | {"name"})
        for note in step["notes"]:
            self.assertEqual(set(note), self.fields("roofline_note") | {"about", "text"})
        self.assertEqual({note["about"] for note in step["notes"]} - {"device", "model", "plan"}, set())
        mixed = answer("step", *DECODE, "--prefill", "1:512")
        self.assertEqual(set(mixed["memory"]), set(step["memory"]))
        self.assertEqual(mixed["memory"]["required_bytes"], mixed["required_bytes"])

    def test_memory(self) -> None:
        keys = self.fields("roofline_memory_query") | self.fields("roofline_memory_result")
        memory = answer("memory", *LLAMA_ON_H100, "--context", "8192")
        self.assertEqual(set(memory), keys | {"model", "device", "plan", "notes"})

    def test_kernel(self) -> None:
        kernels = answer(
            "kernel",
            "--device",
            "h100-sxm",
            *GEMM,
            "attention",
            "--heads",
            "8",
            "--kv-heads",
            "8",
            "--head-dim",
            "64",
            "--new",
            "1",
            "--context",
            "10",
            "given",
            "--flops",
            "0",
            "--bytes",
            "1k",
        )
        self.assertEqual(set(kernels), {"device", "traffic", "kernels", "compose", "notes"})
        self.assertEqual(set(kernels["compose"]), self.fields("roofline_compose_result"))
        for i, work in enumerate(("roofline_gemm_result", "roofline_attention_result", "roofline_work")):
            self.assertEqual(set(kernels["kernels"][i]["work"]), self.fields(work))
            self.assertEqual(set(kernels["kernels"][i]["bound"]), self.fields("roofline_bound_result"))
        self.assertEqual(set(kernels["kernels"][0]["crossover"]), self.fields("roofline_crossover_result"))

    def test_device_and_devices(self) -> None:
        device = answer("device", "h100-sxm")
        self.assertLessEqual(
            {
                "name",
                "vendor",
                "kind",
                "memory_bytes",
                "memory_usable_bytes",
                "memory_bytes_per_s",
                "l2_bytes",
                "tdp_w",
                "peaks_flops",
                "ridge_flop_per_byte",
                "links",
                "source",
                "notes",
            },
            set(device),
        )
        self.assertEqual(
            device["ridge_flop_per_byte"]["bf16"], device["peaks_flops"]["bf16"] / device["memory_bytes_per_s"]
        )
        self.assertFalse([key for key in device["ridge_flop_per_byte"] if key.endswith("_sparse")])
        ids = [row["id"] for row in answer("devices")]
        rows = list(csv.DictReader(io.StringIO(roofline("devices", "--csv").stdout)))
        self.assertEqual(ids, [row["id"] for row in rows])
        self.assertGreaterEqual(len(ids), 12)
        h100 = rows[ids.index("h100-sxm")]
        self.assertEqual(float(h100["peaks_flops/bf16"]), device["peaks_flops"]["bf16"])
        self.assertEqual(h100["peaks_flops/fp4"], "")

    def test_model_and_models(self) -> None:
        model = answer("model", "llama-3.1-8b")
        self.assertLessEqual(self.fields("roofline_model_info_result") | self.fields("roofline_model_spec"), set(model))
        rows = answer("models")
        for row in rows:
            self.assertEqual(set(row), self.fields("roofline_model_info_result") | {"id"})
        table = list(csv.DictReader(io.StringIO(roofline("models", "--csv").stdout)))
        self.assertEqual([int(row["parameters_total"]) for row in table], [row["parameters_total"] for row in rows])

    def test_keys_are_there_once(self) -> None:
        def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            self.assertEqual(len(pairs), len(dict(pairs)))
            return dict(pairs)

        for flags in (
            ["model", "gemma-2-9b"],
            ["device", "h100-sxm"],
            ["step", *DECODE],
            ["devices"],
            ["models"],
            ["memory", *LLAMA_ON_H100, "--context", "1"],
            ["kernel", "--device", "h100-sxm", *GEMM],
        ):
            json.loads(roofline(*flags, "--json").stdout, object_pairs_hook=once)

    def test_numbers_read_back_to_the_same_double_and_are_short(self) -> None:
        for value in (
            0.1,
            1 / 3,
            2 / 3,
            123456789.12345679,
            5e-324,
            9.007199254740993e15,
            1.2345678901234567e22,
            989.4e12,
            1e30,
        ):
            done = roofline(
                "kernel",
                "--device",
                "h100-sxm",
                "--json",
                "given",
                "--bytes",
                "0",
                "--flops",
                repr(value),
                "--format",
                "bf16",
            )
            written = re.findall(r'"flops": ([^,\n]+)', done.stdout)[0]
            self.assertEqual(float(written), value)
            digits = [re.sub(r"e.*|[.]", "", text).strip("0") for text in (written, repr(value))]
            self.assertLessEqual(len(digits[0]), len(digits[1]), written)


class Shell(unittest.TestCase):
    def complete(self, script: str, *words: str) -> list[str]:
        line = " ".join(f"'{word}'" for word in words)
        program = (
            f"source '{script}'; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _roofline 2>/dev/null; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        return subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True).stdout.split()

    def test_completion(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            script = str(Path(folder) / "roofline.bash")
            Path(script).write_text(roofline("completion", "bash").stdout, encoding="utf-8")
            subprocess.run(["bash", "-n", script], check=True)
            self.assertEqual(self.complete(script, "roofline", "mem"), ["memory"])
            self.assertIn("h100-sxm", self.complete(script, "roofline", "step", "--device", "h100"))
            self.assertIn("llama-3.1-8b", self.complete(script, "roofline", "model", "llama"))
            self.assertEqual(self.complete(script, "roofline", "step", "--traffic", "s"), ["streamed"])
            self.assertEqual(self.complete(script, "roofline", "step", "--memory-f"), ["--memory-fraction"])
            self.assertEqual(self.complete(script, "roofline", "kernel", "att"), ["attention"])
            self.assertEqual(self.complete(script, "roofline", "completion", ""), ["bash"])

    def test_manual_covers_every_flag(self) -> None:
        text = roofline("manual").stdout.replace("\\-", "-")
        for name in SUBCOMMANDS:
            self.assertIn(f".SS {name}\n", text)
            for flag in re.findall(r"(?m)^  (--[a-z-]+)", roofline(name, "--help").stdout):
                self.assertIn(f"\\fB{flag}\\fR", text)

    @unittest.skipUnless(shutil.which("groff") or shutil.which("mandoc"), "neither groff nor mandoc is installed")
    def test_manual_has_no_warning(self) -> None:
        checker = (
            ["groff", "-man", "-ww", "-z", "-Tutf8"]
            if shutil.which("groff")
            else ["mandoc", "-T", "lint", "-W", "warning"]
        )
        done = subprocess.run(checker, input=roofline("manual").stdout, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


def main() -> int:
    global ROOFLINE  # pylint: disable=global-statement
    if len(sys.argv) > 1:
        ROOFLINE = sys.argv.pop(1)
    if not ROOFLINE:
        print("usage: run_command_tests.py PATH_OF_ROOFLINE (or set ROOFLINE)", file=sys.stderr)
        return 2
    outcome = unittest.main(exit=False, verbosity=1).result
    failed = len(outcome.failures) + len(outcome.errors)
    skipped = len(outcome.skipped)
    print(
        f"{outcome.testsRun - failed - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
