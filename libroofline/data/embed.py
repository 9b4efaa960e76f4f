# SPDX-License-Identifier: Apache-2.0
"""Writes the catalogue as C tables: embed.py OUTPUT.c DEVICE_DIR MODEL_DIR.

Each *.json of the two folders is one entry; its id is the file's name. The library thus parses nothing when it opens an
entry. The keys are the fields of roofline_device_spec, roofline_link, roofline_model_spec and roofline_layer_group as
include/roofline.h declares them, so this file knows no field by itself beyond what is named below.
"""

import json
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

HEADER = Path(__file__).resolve().parents[2] / "include" / "roofline.h"
LITERAL_LIMIT = 4095  # bytes of a string literal that every C11 compiler takes
INTEGER_LIMIT = 2**53  # beyond it a JSON number is not exact
PEAKS = {"peaks_flops": "", "sparse_peaks_flops": "_SPARSE"}  # key -> ending of the enumerator
EVERY_ENTRY = ["schema", "name", "date", "aliases", "source"]

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


class CatalogueError(Exception):
    """What is wrong with a file, and where in it."""


@dataclass(frozen=True)
class Field:
    type: str
    count: int  # 0: no array


@dataclass(frozen=True)
class Header:
    structs: dict[str, dict[str, Field]]
    enumerators: frozenset[str]


@dataclass(frozen=True)
class Entry:
    id: str
    place: str  # for messages
    keys: dict[str, Json]

    def text(self, key: str) -> str:
        return text_of(self.keys[key], f"{self.place}: /{key}")

    def names(self) -> list[str]:
        """Aliases as written, and the entry's own name where that is more than another spelling of them."""
        place = f"{self.place}: /aliases"
        aliases = [text_of(alias, place) for alias in list_of(self.keys["aliases"], place)]
        known = {spelling(name) for name in [self.id, *aliases]}
        name = self.text("name")
        return aliases if spelling(name) in known else [*aliases, name]


def read_header(path: Path) -> Header:
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    structs = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", text, flags=re.DOTALL):
        members = re.findall(r"(\w+) (\w+)(?:\[(\d+)\])?;", body)
        structs[name] = {member: Field(kind, int(count or 0)) for kind, member, count in members}
    return Header(structs, frozenset(re.findall(r"\b(ROOFLINE_\w+) = ", text)))


def spelling(name: str) -> str:
    """As catalogue.c compares names."""
    return re.sub(r"[-_ .]", "", name).lower()


# ---------------------------------------------------------------------------------------------------- typed values --


def text_of(value: Json, place: str) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise CatalogueError(f"{place} must be a text that is not empty")
    if len(value.encode()) > LITERAL_LIMIT:
        raise CatalogueError(f"{place} is longer than {LITERAL_LIMIT} bytes")
    return value


def list_of(value: Json, place: str) -> list[Json]:
    if not isinstance(value, list):
        raise CatalogueError(f"{place} must be a list")
    return value


def object_of(value: Json, place: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise CatalogueError(f"{place} must be an object")
    return value


def number_of(value: Json, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CatalogueError(f"{place} must be a finite number")
    if isinstance(value, int) and abs(value) > INTEGER_LIMIT:
        raise CatalogueError(f"{place} is a whole number beyond 2^53; write it with an exponent")
    return float(value)


def integer_of(value: Json, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > INTEGER_LIMIT:
        raise CatalogueError(f"{place} must be a whole number within 2^53")
    return value


# ------------------------------------------------------------------------------------------------------ C constants --


def c_text(text: str) -> str:
    """ASCII only; '?' is escaped because C11 still has trigraphs."""
    written = ""
    for byte in text.encode():
        character = chr(byte)
        if character in '"\\?':
            written += "\\" + character
        elif 0x20 <= byte < 0x7F:
            written += character
        else:
            written += f"\\{byte:03o}"
    return f'"{written}"'


def c_enumerator(header: Header, stem: str, text: str, place: str) -> str:
    enumerator = f"{stem}_{text}".upper()
    if not text.islower() or enumerator not in header.enumerators:
        known = sorted(name for name in header.enumerators if name.startswith(stem.upper() + "_"))
        raise CatalogueError(f"{place}: '{text}' is none of {', '.join(known)} (its last part, in lower case)")
    return enumerator


def c_value(header: Header, field: Field, value: Json, place: str) -> str:
    if field.type == "char":
        text = text_of(value, place)
        if len(text.encode()) >= field.count:
            raise CatalogueError(f"{place} has room for {field.count - 1} bytes")
        return c_text(text)
    if field.type == "int64_t":
        return f"INT64_C({integer_of(value, place)})"
    if field.type == "double":
        return repr(number_of(value, place))
    if field.type == "roofline_bool":
        if not isinstance(value, bool):
            raise CatalogueError(f"{place} must be true or false")
        return str(int(value))
    return c_enumerator(header, field.type, text_of(value, place), place)


def c_struct(header: Header, struct: str, keys: dict[str, Json], place: str, extra: list[str]) -> str:
    """Every key of `keys` must be a field; `extra` are initialisers that the caller has made."""
    fields = header.structs[struct]
    initialisers = [f".struct_size = sizeof({struct})"]
    for key, value in keys.items():
        if key not in fields or key in ("struct_size", "padding"):
            raise CatalogueError(f"{place}/{key}: {struct} has no such field")
        initialisers.append(f".{key} = {c_value(header, fields[key], value, f'{place}/{key}')}")
    return "{" + ", ".join(initialisers + extra) + "}"


def c_array(declaration: str, elements: list[str]) -> str:
    return f"static const {declaration}[] = {{\n" + "".join(f"    {element},\n" for element in elements) + "};\n"


# ------------------------------------------------------------------------------------------------------------ files --


def unique_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise ValueError("a key is there twice in one object")
    return keys


def refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def read_entry(path: Path, schema: str, required: list[str]) -> Entry:
    place = path.name
    try:
        value: Json = json.loads(
            path.read_text(encoding="utf-8"), object_pairs_hook=unique_keys, parse_constant=refuse_constant
        )
    except ValueError as error:
        raise CatalogueError(f"{place}: {error}") from error
    keys = object_of(value, f"{place}: the root")
    for key in [*EVERY_ENTRY, *required]:
        if key not in keys:
            raise CatalogueError(f"{place}: the key '{key}' is missing")
    if keys["schema"] != schema:
        raise CatalogueError(f"{place}: /schema must be '{schema}'")
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text_of(keys["date"], f"{place}: /date")):
        raise CatalogueError(f"{place}: /date must be YYYY-MM-DD")
    return Entry(path.stem, place, keys)


def read_entries(folder: Path, schema: str, required: list[str]) -> list[Entry]:
    entries = [read_entry(path, schema, required) for path in folder.glob("*.json")]
    entries.sort(key=lambda entry: entry.id)
    owners: dict[str, str] = {}
    for entry in entries:
        for name in [entry.id, *entry.names()]:
            owner = owners.setdefault(spelling(name), entry.id)
            if owner != entry.id:
                raise CatalogueError(f"{entry.place}: the name '{name}' is taken by {owner}")
    return entries


def without(keys: dict[str, Json], handled: list[str]) -> dict[str, Json]:
    return {key: value for key, value in keys.items() if key not in handled and not key.startswith("x_")}


# ---------------------------------------------------------------------------------------------------------- devices --


def peak_initialisers(header: Header, entry: Entry) -> list[str]:
    initialisers = []
    for key, ending in PEAKS.items():
        for name, value in object_of(entry.keys.get(key, {}), f"{entry.place}: /{key}").items():
            place = f"{entry.place}: /{key}/{name}"
            arithmetic = c_enumerator(header, "roofline_arithmetic", name + ending.lower(), place)
            initialisers.append(f".peaks_flops[{arithmetic}] = {number_of(value, place)!r}")
    return initialisers


def device_table(header: Header, entry: Entry, index: int) -> tuple[str, str]:
    """The arrays that a device points to, and its row."""
    own_keys = ["schema", "aliases", "source", "sources", "links", *PEAKS]
    spec = c_struct(
        header,
        "roofline_device_spec",
        without(entry.keys, own_keys),
        f"{entry.place}: ",
        peak_initialisers(header, entry),
    )
    links = []
    for number, link in enumerate(list_of(entry.keys.get("links", []), f"{entry.place}: /links")):
        place = f"{entry.place}: /links/{number}"
        links.append(c_struct(header, "roofline_link", without(object_of(link, place), []), place, []))
    sources = []
    # In the order in which the library's JSON reader meets them, so that either way makes the same handle.
    for field, text in sorted(object_of(entry.keys.get("sources", {}), f"{entry.place}: /sources").items()):
        sources += [c_text(field), c_text(text_of(text, f"{entry.place}: /sources/{field}"))]
    prefix = f"device_{index}"
    arrays = c_array(f"char *const {prefix}_aliases", [*map(c_text, entry.names()), "NULL"])
    arrays += c_array(f"char *const {prefix}_sources", [*sources, "NULL"])
    arrays += c_array(f"roofline_link {prefix}_links", links) if links else ""
    row = (
        f"    {{.id = {c_text(entry.id)}, .aliases = {prefix}_aliases, .spec = {spec}, "
        f".links = {prefix + '_links' if links else 'NULL'}, .link_count = {len(links)}, "
        f".source = {c_text(entry.text('source'))}, .sources = {prefix}_sources}},\n"
    )
    return arrays, row


# ----------------------------------------------------------------------------------------------------------- models --


def model_table(header: Header, entry: Entry, index: int) -> tuple[str, str]:
    """The arrays that a model points to, and its row."""
    own_keys = ["schema", "aliases", "date", "source", "groups"]
    spec = c_struct(header, "roofline_model_spec", without(entry.keys, own_keys), f"{entry.place}: ", [])
    groups = []
    for number, group in enumerate(list_of(entry.keys["groups"], f"{entry.place}: /groups")):
        place = f"{entry.place}: /groups/{number}"
        groups.append(c_struct(header, "roofline_layer_group", without(object_of(group, place), []), place, []))
    if not groups:
        raise CatalogueError(f"{entry.place}: /groups is empty")
    entry.text("source")
    prefix = f"model_{index}"
    arrays = c_array(f"char *const {prefix}_aliases", [*map(c_text, entry.names()), "NULL"])
    arrays += c_array(f"roofline_layer_group {prefix}_groups", groups)
    row = (
        f"    {{.id = {c_text(entry.id)}, .aliases = {prefix}_aliases, .spec = {spec}, "
        f".groups = {prefix}_groups, .group_count = {len(groups)}}},\n"
    )
    return arrays, row


def catalogue(kind: str, tables: list[tuple[str, str]]) -> str:
    """The row without an id closes the table: C has no arrays of no elements."""
    return (
        "".join(arrays for arrays, _ in tables)
        + f"\nconst catalogue_{kind} catalogue_{kind}s[] = {{\n"
        + "".join(row for _, row in tables)
        + "    {.id = NULL},\n};\n"
        + f"const size_t catalogue_{kind}_count = {len(tables)};\n\n"
    )


def write_catalogue(output: Path, device_folder: Path, model_folder: Path) -> None:
    header = read_header(HEADER)
    devices = read_entries(
        device_folder,
        "roofline-device/1",
        ["vendor", "memory_bytes", "memory_bytes_per_s", "peaks_flops"],
    )
    models = read_entries(model_folder, "roofline-model/1", ["architecture", "hidden", "vocab", "groups"])
    date = max((entry.text("date") for entry in [*devices, *models]), default="")
    output.write_text(
        "/* SPDX-License-Identifier: Apache-2.0 */\n"
        "/* Made by data/embed.py from data/devices and data/models; not to be edited. */\n"
        '#include "catalogue.h"\n\n'
        + catalogue("device", [device_table(header, entry, index) for index, entry in enumerate(devices)])
        + catalogue("model", [model_table(header, entry, index) for index, entry in enumerate(models)])
        + f"const char catalogue_date[] = {c_text(date)};\n",
        encoding="ascii",
    )


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print("usage: embed.py OUTPUT.c DEVICE_DIR MODEL_DIR", file=sys.stderr)
        return 2
    try:
        write_catalogue(*map(Path, arguments))
    except (CatalogueError, OSError) as error:
        print(f"embed.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
