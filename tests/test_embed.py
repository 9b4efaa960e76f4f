# SPDX-License-Identifier: Apache-2.0
"""The catalogue's table: what embed.py writes, and that it stops at a file that is wrong."""

import contextlib
import importlib.util
import io
import json
import tempfile
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "libroofline" / "data"


def load_embed() -> ModuleType:
    spec = importlib.util.spec_from_file_location("embed", DATA / "embed.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


embed = load_embed()


def device(**changes: Any) -> dict[str, Any]:
    return {
        "schema": "roofline-device/1",
        "name": "One",
        "vendor": "V",
        "date": "2026-01-31",
        "aliases": ["uno"],
        "memory_bytes": 80,
        "memory_bytes_per_s": 2e12,
        "peaks_flops": {"bf16": 9e14},
        "source": "by hand",
        **changes,
    }


def model(**changes: Any) -> dict[str, Any]:
    return {
        "schema": "roofline-model/1",
        "name": "Small",
        "architecture": "llama",
        "date": "2026-02-28",
        "aliases": ["org/Small"],
        "source": "by hand",
        "format": "bf16",
        "hidden": 8,
        "vocab": 16,
        "tied_embeddings": True,
        "groups": [{"layers": 2, "query_heads": 2, "kv_heads": 1, "head_dim": 4, "gated_mlp": False}],
        **changes,
    }


class EmbedTest(unittest.TestCase):
    def embedded(self, devices: dict[str, Any], models: dict[str, Any]) -> tuple[int, str, str]:
        """Exit status, the table, what was said on standard error. A text stands for the bytes of a file."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for kind, entries in (("devices", devices), ("models", models)):
                (root / kind).mkdir()
                for name, value in entries.items():
                    text = value if isinstance(value, str) else json.dumps(value)
                    (root / kind / f"{name}.json").write_text(text, encoding="utf-8")
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                status = embed.main([str(root / "out.c"), str(root / "devices"), str(root / "models")])
            output = root / "out.c"
            return status, output.read_text(encoding="ascii") if output.exists() else "", said.getvalue()

    def test_rows(self) -> None:
        linked = device(name="Two", aliases=[], links=[{"name": "L", "bytes_per_s": 1e9}])
        entries = {"two": linked, "one": device(name="The first")}
        status, table, said = self.embedded(entries, {"small": model()})
        self.assertEqual((status, said), (0, ""))
        self.assertLess(table.index('.id = "one"'), table.index('.id = "two"'))
        for part in (
            ".memory_bytes = INT64_C(80), .memory_bytes_per_s = 2000000000000.0, .peaks_flops[",
            "[ROOFLINE_ARITHMETIC_BF16] = 900000000000000.0}",
            '{.struct_size = sizeof(roofline_link), .name = "L", .bytes_per_s = 1000000000.0}',
            '    "uno",\n    "The first",\n    NULL,\n',
            ".format = ROOFLINE_FORMAT_BF16, .hidden = INT64_C(8), .vocab = INT64_C(16), .tied_embeddings = 1}",
            ".head_dim = INT64_C(4), .gated_mlp = 0}",
            "const size_t catalogue_device_count = 2;",
            "const size_t catalogue_model_count = 1;",
            'const char catalogue_date[] = "2026-02-28";',
        ):
            self.assertIn(part, table)
        self.assertEqual(table, self.embedded(dict(reversed(entries.items())), {"small": model()})[1])

    def test_sparse_peaks_have_their_own_place(self) -> None:
        status, table, _ = self.embedded({"one": device(sparse_peaks_flops={"bf16": 18e14})}, {})
        self.assertEqual(status, 0)
        self.assertIn(".peaks_flops[ROOFLINE_ARITHMETIC_BF16_SPARSE] = 1800000000000000.0", table)

    def test_texts_are_ascii_without_trigraphs(self) -> None:
        self.assertEqual(embed.c_text('a"b\\c??/ \u00e9\n0'), r'"a\"b\\c\?\?/ \303\251\0120"')

    def test_wrong_files(self) -> None:
        cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
            ({"one": device(), "two": device(name="Two", aliases=["U-N_O."])}, {}, "the name 'U-N_O.' is taken by one"),
            ({"one": device(), "two": device(aliases=[])}, {}, "the name 'One' is taken by one"),
            ({"o.n-e": device(aliases=[], name="A"), "one": device(aliases=[], name="B")}, {}, "taken by"),
            ({"one": device(memory=3)}, {}, "one.json: /memory: roofline_device_spec has no such field"),
            ({"one": device(struct_size=3)}, {}, "/struct_size"),
            ({"one": device(peaks_flops={"bf17": 1})}, {}, "/peaks_flops/bf17"),
            ({"one": device(peaks_flops={"bf16_sparse": "1"})}, {}, "must be a finite number"),
            ({"one": device(links=[{"name": "L", "ports": 1}])}, {}, "/links/0/ports"),
            ({"one": device(name="n" * 64)}, {}, "/name has room for 63 bytes"),
            ({"one": device(memory_bytes=8.5)}, {}, "/memory_bytes must be a whole number"),
            ({"one": device(memory_bytes_per_s=2**53 + 2)}, {}, "write it with an exponent"),
            ({"one": device(date="May")}, {}, "YYYY-MM-DD"),
            ({"one": device(source="s" * 4096)}, {}, "longer than 4095"),
            ({"one": device(schema="roofline-device/2")}, {}, "/schema must be 'roofline-device/1'"),
            ({"one": device(kind="guess")}, {}, "ROOFLINE_SOURCE_SPEC"),
            ({"one": '{"a": 1, "a": 2}'}, {}, "twice"),
            ({"one": '{"a": NaN}'}, {}, "NaN"),
            ({"one": "[1]"}, {}, "must be an object"),
            ({"one": "{"}, {}, "one.json"),
            ({"one": "{}"}, {}, "the key 'schema' is missing"),
            ({}, {"small": model(tied_embeddings=1)}, "/tied_embeddings must be true or false"),
            ({}, {"small": model(format="bf17")}, "ROOFLINE_FORMAT_BF16"),
            ({}, {"small": model(groups=[])}, "/groups is empty"),
            ({}, {"small": model(groups=[{"width": 3}])}, "/groups/0/width"),
        ]
        for devices, models, message in cases:
            with self.subTest(message=message):
                status, table, said = self.embedded(devices, models)
                self.assertEqual((status, table), (1, ""))
                self.assertIn(message, said)


if __name__ == "__main__":
    unittest.main()
