#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes layout_table.inc, the run-time description of every public struct and enumeration, from include/roofline.h.

    python3 libroofline/generate_layout.py            writes libroofline/layout_table.inc
    python3 libroofline/generate_layout.py --check    exit 1 and a diff when the committed table is stale

The header is read by clang (`-ast-dump=json`), so nothing here parses C. Offsets and sizes are left to the compiler
that builds the library: the table holds offsetof and sizeof, not numbers.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
HEADER = REPOSITORY / "include" / "roofline.h"
TABLE = REPOSITORY / "libroofline" / "layout_table.inc"
TEXT_SIZE = 48  # of every char array in roofline_layout_row and roofline_constant_row

# Enumerators start with the upper-cased typedef and "_"; these do not.
PREFIXES = {
    "roofline_status": "ROOFLINE_",
    "roofline_note_code": "ROOFLINE_NOTE_",
    "roofline_kernel_kind": "ROOFLINE_KERNEL_",
    "roofline_kernel_group": "ROOFLINE_GROUP_",
    "": "ROOFLINE_",
}

STORAGE = {
    "int32_t": "INT32",
    "uint32_t": "UINT32",
    "int64_t": "INT64",
    "uint64_t": "UINT64",
    "double": "DOUBLE",
    "char": "TEXT",
}

Node = dict[str, Any]


class Field(NamedTuple):
    name: str
    storage: str  # suffix of ROOFLINE_STORAGE_...
    elements: int
    meaning: str


class Struct(NamedTuple):
    name: str
    fields: list[Field]


class Constant(NamedTuple):
    meaning: str
    name: str
    text: str
    value: int


def fail(message: str) -> None:
    sys.exit(f"generate_layout.py: {message}")


def declarations(clang: str) -> list[Node]:
    """Top-level declarations of the header, in its order."""
    command = [clang, "-x", "c", "-std=c11", "-fsyntax-only", "-Xclang", "-ast-dump=json", str(HEADER)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        fail(f"clang refuses the header:\n{result.stderr}")
    nodes: list[Node] = json.loads(result.stdout)["inner"]
    return nodes


def field_id(path: str) -> int:
    """The same hash as field_id of error.c: FNV-1a, 31 bits, never 0."""
    value = 2166136261
    for byte in path.encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    value &= 0x7FFFFFFF
    return value or 1


def integer_typedefs(nodes: list[Node]) -> set[str]:
    """The header's own names for int32_t."""
    return {
        node["name"]
        for node in nodes
        if node["kind"] == "TypedefDecl"
        and node["name"].startswith("roofline_")
        and node["type"]["qualType"] == "int32_t"
    }


def read_field(struct: str, node: Node, typedefs: set[str]) -> Field:
    kind = node["type"]["qualType"]
    array = re.fullmatch(r"(\w+)\s*\[(\d+)\]", kind)
    element, count = (array[1], int(array[2])) if array else (kind, 1)
    meaning = element if element in typedefs else ""
    storage = STORAGE.get("int32_t" if meaning else element)
    if storage is None:
        fail(f"{struct}.{node['name']} has the type '{kind}', which no binding can be told of")
    assert storage is not None
    return Field(node["name"], storage, count, meaning)


def read_structs(nodes: list[Node]) -> list[Struct]:
    typedefs = integer_typedefs(nodes)
    structs = []
    for node in nodes:
        name = node.get("name", "")
        if node["kind"] == "RecordDecl" and name.startswith("roofline_") and node.get("completeDefinition"):
            fields = [read_field(name, each, typedefs) for each in node["inner"] if each["kind"] == "FieldDecl"]
            structs.append(Struct(name, fields))
    return structs


def written_value(node: Node) -> int | None:
    """The value of an enumerator's expression, which clang has folded."""
    expressions = [each for each in node.get("inner", []) if each["kind"] == "ConstantExpr"]
    return int(expressions[0]["value"]) if expressions else None


def read_enumeration(node: Node, meaning: str) -> list[Constant]:
    prefix = PREFIXES.get(meaning, meaning.upper() + "_")
    constants = []
    following = 0
    for each in node["inner"]:
        if each["kind"] != "EnumConstantDecl":
            continue
        name = each["name"]
        if not name.startswith(prefix):
            fail(f"{name} does not start with {prefix}: rename it, or say the prefix of {meaning} in PREFIXES")
        written = written_value(each)
        value = following if written is None else written
        following = value + 1
        constants.append(Constant(meaning, name, name.removeprefix(prefix).lower(), value))
    return constants


def read_constants(nodes: list[Node]) -> list[Constant]:
    """An anonymous enum is of the int32_t typedef that follows it at once; without one its meaning is ""."""
    typedefs = integer_typedefs(nodes)
    constants: list[Constant] = []
    for node, successor in zip(nodes, [*nodes[1:], {"kind": ""}], strict=True):
        if node["kind"] == "EnumDecl":
            named = successor["kind"] == "TypedefDecl" and successor["name"] in typedefs
            constants += read_enumeration(node, successor["name"] if named else "")
    return constants


def check_names(structs: list[Struct], constants: list[Constant]) -> None:
    texts = [text for each in constants for text in (each.meaning, each.name, each.text)]
    texts += [text for struct in structs for text in (struct.name, *(each.name for each in struct.fields))]
    for text in texts:
        if len(text) >= TEXT_SIZE:
            fail(f"'{text}' is longer than the {TEXT_SIZE - 1} characters that a row holds")
    owners: dict[int, str] = {}
    for path in (f"{struct.name}.{each.name}" for struct in structs for each in struct.fields):
        owner = owners.setdefault(field_id(path), path)
        if owner != path:
            fail(f"{path} and {owner} have the same id: rename one of them")


def version_text(constants: list[Constant]) -> str:
    values = {each.name: each.value for each in constants}
    return ".".join(str(values[f"ROOFLINE_VERSION_{part}"]) for part in ("MAJOR", "MINOR", "PATCH"))


def table_text(structs: list[Struct], constants: list[Constant]) -> str:
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* Made by generate_layout.py from include/roofline.h: change the header and run the script. */",
        "",
        f'static const char version_text[] = "{version_text(constants)}";',
        "",
        "static const roofline_layout_row layout_rows[] = {",
    ]
    for struct in structs:
        lines.append(f"    STRUCT({struct.name}),")
        for field in struct.fields:
            identity = field_id(f"{struct.name}.{field.name}")
            cells = (struct.name, field.name, field.storage, str(field.elements), f'"{field.meaning}"', str(identity))
            lines.append(f"    FIELD({', '.join(cells)}),")
    lines += ["};", "", "static const roofline_constant_row constant_rows[] = {"]
    lines += [f'    CONSTANT("{each.meaning}", {each.name}, "{each.text}"),' for each in constants]
    lines += ["};", ""]
    return "\n".join(lines)


def check_committed(text: str) -> int:
    committed = TABLE.read_text(encoding="utf-8") if TABLE.exists() else ""
    difference = list(
        difflib.unified_diff(committed.splitlines(), text.splitlines(), "committed", "from the header", lineterm="")
    )
    if difference:
        print("\n".join(difference))
        print("libroofline/layout_table.inc is stale: run python3 libroofline/generate_layout.py and commit it")
        return 1
    rows = sum(line.startswith("    ") for line in text.splitlines())
    print(f"libroofline/layout_table.inc says what the header says: {rows} rows")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes libroofline/layout_table.inc from include/roofline.h.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the committed table is stale")
    parser.add_argument("--clang", default="clang", help="the clang to ask (default: clang)")
    arguments = parser.parse_args()
    if shutil.which(arguments.clang) is None:
        fail(f"there is no '{arguments.clang}': install clang (apt-get install clang)")
    nodes = declarations(arguments.clang)
    structs, constants = read_structs(nodes), read_constants(nodes)
    check_names(structs, constants)
    text = table_text(structs, constants)
    if arguments.check:
        return check_committed(text)
    TABLE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
