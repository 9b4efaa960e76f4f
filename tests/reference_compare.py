# SPDX-License-Identifier: Apache-2.0
"""Random cases through the library (the program tests/price.c) and through tests/reference.py, to 1e-12 relative.

    python3 tests/reference_compare.py PRICE [SEED]

The seed is printed; ROOFLINE_SEED or the second argument repeats a run. Ends with "N passed, N failed".
"""

from __future__ import annotations

import math
import os
import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import reference as ref

CASES = 400
TOLERANCE = Fraction(1, 10**12)
FORMATS = {"fp32": 1, "fp16": 2, "bf16": 3, "fp8": 4, "int8": 5, "fp4": 6, "int4": 7}
ARITHMETICS = {"fp32": 1, "fp16": 3, "bf16": 4, "fp8": 5, "int8": 6, "fp4": 7}
TRAFFICS = {ref.COMPULSORY: 0, ref.STREAMED: 1}
REGIMES = {ref.COMPUTE: 1, ref.MEMORY: 2}

STEP_FIELDS = (
    *("aggregate_s", "phase_s", "kernel_s", "predicted_s", "linear_s", "attention_s", "compute_s", "memory_s"),
    *("flops", "bytes", "weight_bytes", "kv_read_bytes", "kv_write_bytes", "activation_bytes"),
    *("sequences", "new_tokens", "logit_rows"),
)

Expected = dict[str, Fraction | int | None]  # None: a number that does not exist, NaN


@dataclass(frozen=True)
class Question:
    line: str
    expected: Expected


def maker(seed: int) -> random.Random:
    return random.Random(seed)


def scale(chance: random.Random, most: int) -> int:
    """A whole number from 1 to `most`, as often small as large."""
    return min(most, int(2 ** chance.uniform(0, most.bit_length())))


# ------------------------------------------------------------------------------------------------------- random cases


def random_device(chance: random.Random) -> tuple[ref.Device, str]:
    """Peaks and bandwidths of today's chips, as whole numbers, which a double holds exactly."""
    base = chance.randrange(10**12, 3 * 10**15)
    peaks = {"fp32": base // 16 + 1, "fp16": base, "bf16": base, "fp8": 2 * base, "int8": 2 * base, "fp4": 4 * base}
    bandwidth = chance.randrange(10**11, 10**13)
    memory = chance.randrange(10**9, 10**12)
    usable = chance.choice((0, memory - memory // 50))
    l2 = chance.choice((0, chance.randrange(10**6, 10**9)))
    device = ref.Device({name: Fraction(peak) for name, peak in peaks.items()}, Fraction(bandwidth), memory, usable, l2)
    numbers = (bandwidth, memory, usable, l2, *(peaks[name] for name in ("fp32", "fp16", "bf16", "fp8", "int8", "fp4")))
    return device, "device " + " ".join(map(str, numbers))


def random_formats(chance: random.Random) -> tuple[str, str]:
    """Weights and what enters: 4-bit and 8-bit weights with 16-bit activations, or two of one kind."""
    weights = chance.choice(("fp32", "fp16", "bf16", "fp8", "int8", "fp4", "int4"))
    if weights in ("fp8", "int8", "fp4") and chance.random() < 0.5:
        return weights, weights
    return weights, chance.choice(("fp16", "bf16")) if weights not in ("fp16", "bf16", "fp32") else weights


def regime(compute: Fraction, memory: Fraction) -> Expected:
    """Left out where doubles may see a tie differently."""
    if abs(compute - memory) <= TOLERANCE * max(compute, memory):
        return {}
    return {"regime": REGIMES[ref.MEMORY if memory > compute else ref.COMPUTE]}


def bound_question(chance: random.Random, device: ref.Device) -> Question:
    name = chance.choice(tuple(ARITHMETICS))
    flops, moved = chance.choice((0, scale(chance, 10**15))), chance.choice((0, scale(chance, 10**13)))
    bound = ref.bound(device, name, Fraction(flops), Fraction(moved))
    share = None if bound.attainable is None else bound.attainable / device.peak(name)
    expected: Expected = {
        "bound_s": bound.bound_s,
        "compute_s": bound.compute_s,
        "memory_s": bound.memory_s,
        "intensity_flop_per_byte": bound.intensity,
        "ridge_flop_per_byte": device.ridge(name),
        "attainable_flops_per_s": bound.attainable,
        "fraction_of_peak": share,
        "cache_resident": int(0 < moved <= device.l2_bytes),
    }
    return Question(f"bound {ARITHMETICS[name]} {flops} {moved}", expected | regime(bound.compute_s, bound.memory_s))


def random_gemm(chance: random.Random) -> tuple[ref.Gemm, str]:
    weight, entering = random_formats(chance)
    leaving = chance.choice(("fp32", "bf16", "fp8"))
    n = scale(chance, 300000)
    columns = chance.choice((n, scale(chance, n)))
    gemm = ref.Gemm(scale(chance, 100000), scale(chance, 70000), n, columns, weight, entering, leaving)
    formats = f"{FORMATS[weight]} {FORMATS[entering]} {FORMATS[leaving]}"
    return gemm, f"{gemm.tokens} {gemm.k} {n} {columns} {formats}"


def gemm_question(chance: random.Random) -> Question:
    gemm, numbers = random_gemm(chance)
    traffic = chance.choice(tuple(TRAFFICS))
    streamed = traffic == ref.STREAMED
    expected: Expected = {
        "flops": gemm.flops(),
        "bytes": gemm.moved(traffic),
        "weight_bytes": gemm.weight_bytes(),
        "activation_bytes": Fraction(0) if streamed else gemm.activation_bytes(),
        "intensity_flop_per_byte": gemm.flops() / gemm.moved(traffic),
        "arithmetic": ARITHMETICS[ref.wider(gemm.weight_format, gemm.input_format)],
    }
    if not streamed:
        expected["limit_flop_per_byte"] = gemm.limit()
    return Question(f"gemm {numbers} {TRAFFICS[traffic]}", expected)


def crossover_question(chance: random.Random, device: ref.Device) -> Question:
    gemm, numbers = random_gemm(chance)
    name = ref.wider(gemm.weight_format, gemm.input_format)
    ridge = device.ridge(name)
    expected: Expected = {
        "tokens_streamed": ref.crossover_streamed(ridge, gemm),
        "limit_flop_per_byte": gemm.limit(),
        "ridge_flop_per_byte": ridge,
        "arithmetic": ARITHMETICS[name],
    }
    # Near the threshold of "never" the subtraction cancels, and doubles cannot hold what the fraction holds.
    if abs(gemm.limit() - ridge) > ridge / 100:
        tokens = ref.crossover_compulsory(ridge, gemm)
        expected |= {"answer": 2 if tokens is None else 1}
        expected |= {"least_tokens_compulsory": 0} if tokens is None else {}
        if tokens is None or abs(gemm.limit() - ridge) > ridge / 4:
            expected |= {"tokens_compulsory": tokens}
    return Question(f"crossover {numbers} 0", expected)


def random_heads(chance: random.Random) -> ref.Heads:
    kv = chance.choice((1, 2, 4, 8, 32))
    dim = chance.choice((64, 80, 128, 256))
    value_dim = chance.choice((dim, dim, 96))
    return ref.Heads(kv * chance.choice((1, 4, 8)), kv, dim, value_dim, chance.choice((0, 0, 1, scale(chance, 9000))))


def random_sequences(chance: random.Random) -> ref.Sequences:
    new = chance.choice((1, 1, scale(chance, 5000)))
    context = new + chance.choice((0, scale(chance, 100000)))
    rows = chance.choice((1, 1, 0, min(new, 3)))
    return ref.Sequences(scale(chance, 300), new, context, rows)


def attention_question(chance: random.Random) -> Question:
    heads, work = random_heads(chance), random_sequences(chance)
    kv, activation = chance.choice(tuple(FORMATS)), chance.choice(ref.WIDE_FORMATS)
    traffic = chance.choice(tuple(TRAFFICS))
    flops = ref.attention_flops(heads, [work])
    read = ref.attention_kv_read(heads, [work], kv)
    activations = ref.attention_activations(heads, [work], activation) if traffic == ref.COMPULSORY else Fraction(0)
    pairs = work.count * ref.pairs_closed(work.new, work.context, heads.window)
    expected: Expected = {
        "pairs": Fraction(pairs),
        "flops": flops,
        "bytes": read + activations,
        "kv_read_bytes": read,
        "activation_bytes": activations,
        "intensity_flop_per_byte": flops / (read + activations),
        "arithmetic": ARITHMETICS[activation],
    }
    shape = f"{work.count} {work.new} {work.context} {heads.query} {heads.kv} {heads.dim} {heads.value_dim}"
    return Question(
        f"attention {shape} {heads.window} {FORMATS[kv]} {FORMATS[activation]} {TRAFFICS[traffic]}", expected
    )


# ------------------------------------------------------------------------------------------- models, plans and steps


def random_experts(chance: random.Random) -> ref.Experts | None:
    if chance.random() < 0.5:
        return None
    count = chance.choice((1, scale(chance, 512), 8, 128, 256, 512))
    per_token = chance.choice((1, min(count, 8), count, scale(chance, count)))
    return ref.Experts(count, per_token, 64 * chance.randrange(1, 40))


def random_model(chance: random.Random) -> ref.Model:
    groups = tuple(
        ref.LayerGroup(
            layers=chance.randrange(1, 60),
            heads=random_heads(chance),
            intermediate=chance.choice((0, 64 * chance.randrange(1, 400))),
            gated=chance.random() < 0.7,
            vector_parameters=2 * chance.randrange(0, 10000),
            experts=random_experts(chance),
        )
        for _ in range(chance.randrange(1, 4))
    )
    positions = chance.choice((0, 0, 2 * chance.randrange(1, 10**5)))
    tied = chance.random() < 0.5
    vectors = 2 * chance.randrange(0, 10000)
    return ref.Model(64 * chance.randrange(1, 200), scale(chance, 300000), tied, groups, positions, vectors)


def model_lines(model: ref.Model, stored: str) -> Iterator[str]:
    numbers = (
        FORMATS[stored],
        model.hidden,
        model.vocab,
        int(model.tied),
        model.position_rows,
        model.vector_parameters,
    )
    yield "model " + " ".join(map(str, numbers))
    for group in model.groups:
        heads = group.heads
        shape = (heads.query, heads.kv, heads.dim, heads.value_dim, heads.window, group.intermediate)
        routed = group.experts or ref.Experts(0, 0, 0)
        experts = (routed.count, routed.per_token, routed.intermediate)
        layers = (int(group.gated), group.layers, *shape, group.vector_parameters, *experts)
        yield "layers " + " ".join(map(str, layers))


def random_deployment(chance: random.Random) -> tuple[ref.Deployment, str, str]:
    """The deployment, the format in which the model is stored, and the numbers of the line."""
    stored = chance.choice(("fp32", "fp16", "bf16", "fp8"))
    given: dict[str, str] = {}
    if chance.random() < 0.6:
        weights, activations = random_formats(chance)
        given |= {"weights": weights, "activations": activations}
    if chance.random() < 0.5:
        given["kv"] = chance.choice(("fp16", "bf16", "fp8", "int8", "fp32"))
    if chance.random() < 0.3:
        given["residual"] = chance.choice(ref.WIDE_FORMATS)
    if chance.random() < 0.3:
        given["head_weights"] = chance.choice(("fp32", "fp16", "bf16", "fp8"))
    traffic = chance.choice(tuple(TRAFFICS))
    fraction = chance.randrange(1, 1025)
    numbers = (
        chance.choice((0, 0, chance.randrange(10**9, 10**12))),
        chance.choice((0, chance.randrange(0, 10**10))),
        chance.choice((0, chance.randrange(0, 10**10))),
        chance.choice((1, 16, 16, 64, 48)),
        chance.choice((0, 1, 5)),
    )
    resolved = ref.resolve(stored, given)
    deployment = ref.Deployment(
        weights=resolved["weights"],
        activations=resolved["activations"],
        kv=resolved["kv"],
        residual=resolved["residual"],
        head_weights=resolved["head_weights"],
        traffic=traffic,
        memory_fraction=Fraction(fraction, 1024),
        capacity_bytes=numbers[0],
        reserve_bytes=numbers[1],
        activation_bytes=numbers[2],
        block_tokens=numbers[3],
        output_slots=numbers[4],
    )
    formats = (
        FORMATS.get(given.get(key, ""), 0) for key in ("weights", "activations", "kv", "residual", "head_weights")
    )
    line = f"plan {TRAFFICS[traffic]} {' '.join(map(str, formats))} {fraction} {' '.join(map(str, numbers))}"
    return deployment, stored, line


def equal_width_mix(deployment: ref.Deployment) -> bool:
    """Two formats of one width: which of them multiplies is not settled by width."""
    pairs = ((deployment.weights, deployment.activations), (deployment.head_weights, deployment.residual))
    return any(a != b and ref.FORMAT_BITS[a] == ref.FORMAT_BITS[b] for a, b in pairs)


def plan_expected(model: ref.Model, deployment: ref.Deployment) -> Expected:
    per_token = sum(
        group.layers * group.heads.kv * (group.heads.dim + group.heads.value_dim) for group in model.groups
    ) * ref.element_bytes(deployment.kv)
    return {
        "parameters_total": model.parameters_total(),
        "parameters_streamed": model.parameters_streamed(),
        "weight_bytes_resident": int(ref.weight_bytes_resident(model, deployment)),
        "weight_bytes_streamed": int(ref.weight_bytes_streamed(model, deployment)),
        "kv_bytes_per_token": int(per_token),
        "linear_arithmetic": ARITHMETICS[deployment.linear_arithmetic()],
        "attention_arithmetic": ARITHMETICS[deployment.attention_arithmetic()],
        "head_arithmetic": ARITHMETICS[deployment.head_arithmetic()],
        "weights": FORMATS[deployment.weights],
        "activations": FORMATS[deployment.activations],
        "kv": FORMATS[deployment.kv],
        "residual": FORMATS[deployment.residual],
        "head_weights": FORMATS[deployment.head_weights],
    }


def fit_expected(model: ref.Model, memory: ref.Memory, kv: Fraction, context: int) -> Expected:
    """fits, and why not: weights first, then learned positions, then the cache."""
    required = memory.required_bytes + kv
    fixed = memory.required_bytes
    reason = 0
    if fixed > memory.budget_bytes:
        reason = 1
    elif model.position_rows and context > model.position_rows:
        reason = 3
    elif required > memory.budget_bytes:
        reason = 2
    return {
        "kv_bytes": int(kv),
        "required_bytes": int(required),
        "short_bytes": int(max(Fraction(0), required - memory.budget_bytes)),
        "fits": int(reason == 0),
        "fit_reason": reason,
    }


def step_expected(
    device: ref.Device, model: ref.Model, deployment: ref.Deployment, work: list[ref.Sequences]
) -> Expected:
    step = ref.step(device, model, deployment, work)
    resident = step.weight_bytes + step.kv_read_bytes <= device.l2_bytes and device.l2_bytes > 0
    expected: Expected = {name: getattr(step, name) for name in STEP_FIELDS}
    expected |= {
        "intensity_flop_per_byte": step.flops / step.bytes,
        "ridge_flop_per_byte": step.flops / step.compute_s / device.bandwidth,
        "tokens_per_s": step.new_tokens / step.kernel_s,
        "tokens_per_s_per_sequence": step.new_tokens / step.kernel_s / step.sequences,
        "output_tokens_per_s": step.logit_rows / step.kernel_s,
        "mfu": step.compute_s / step.kernel_s,
        "mbu": step.memory_s / step.kernel_s,
        "cache_resident": int(resident),
    }
    # A kernel near its ridge may fall on either side, and with it its share.
    times = [ref.kernel_times(device, kernel) for kernel in step.kernels]
    if all(regime(compute_s, memory_s) for compute_s, memory_s in times if compute_s or memory_s):
        expected["memory_bound_share"] = step.memory_bound_s / step.kernel_s
    kv = sum(
        (row.count * ref.kv_bytes_per_sequence(model, deployment, row.new, row.context) for row in work), Fraction(0)
    )
    empty = ref.memory(device, model, deployment, 1, 0)
    expected |= fit_expected(model, empty, kv, max(row.context for row in work))
    return expected | regime(step.compute_s, step.memory_s)


def memory_expected(
    device: ref.Device, model: ref.Model, deployment: ref.Deployment, context: int, count: int
) -> Expected:
    memory = ref.memory(device, model, deployment, context, count)
    beyond = bool(model.position_rows) and context > model.position_rows
    return {
        "capacity_bytes": memory.capacity_bytes,
        "budget_bytes": memory.budget_bytes,
        "weight_bytes": int(memory.weight_bytes),
        "activation_bytes": deployment.activation_bytes,
        "reserve_bytes": deployment.reserve_bytes,
        "pool_bytes": int(memory.pool_bytes),
        "kv_bytes_per_sequence": int(memory.kv_bytes_per_sequence),
        "max_sequences": 0 if beyond else memory.max_sequences,
        "required_bytes": int(memory.required_bytes),
        "short_bytes": int(memory.short_bytes),
        "fits": int(memory.fits and not beyond),
    }


def step_questions(chance: random.Random, device: ref.Device) -> Iterator[Question]:
    model = random_model(chance)
    deployment, stored, plan_line = random_deployment(chance)
    while equal_width_mix(deployment):
        deployment, stored, plan_line = random_deployment(chance)
    for line in model_lines(model, stored):
        yield Question(line, {})
    yield Question(plan_line, plan_expected(model, deployment))
    for _ in range(4):
        work = [random_sequences(chance) for _ in range(chance.randrange(1, 4))]
        groups = (f"{row.count} {row.new} {row.context} {row.rows or -1}" for row in work)
        yield Question("step " + " ".join(groups), step_expected(device, model, deployment, work))
    context, count = scale(chance, 100000), chance.randrange(1, 200)
    yield Question(f"memory {context} {count}", memory_expected(device, model, deployment, context, count))


def questions(seed: int) -> Iterator[Question]:
    chance = maker(seed)
    for _ in range(CASES):
        device, line = random_device(chance)
        yield Question(line, {})
        yield bound_question(chance, device)
        yield gemm_question(chance)
        yield crossover_question(chance, device)
        yield attention_question(chance)
        yield from step_questions(chance, device)


# ----------------------------------------------------------------------------------------------------- the comparison


def decoded(word: str) -> tuple[str, Fraction | None]:
    """name=value is a whole number, name:bits a double by the hex digits of its pattern."""
    if "=" in word:
        name, value = word.split("=")
        return name, Fraction(int(value))
    name, bits = word.split(":")
    number: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    return name, Fraction(number) if math.isfinite(number) else None


def differs(name: str, expected: Fraction | int | None, answer: dict[str, Fraction | None]) -> str | None:
    actual = answer[name]
    if actual is None or expected is None:
        return None if actual is expected else f"{name} is {actual}, not {expected}"
    allowed = abs(expected) * TOLERANCE if isinstance(expected, Fraction) else 0
    if abs(actual - expected) <= allowed:
        return None
    return f"{name} is {float(actual)!r}, not {float(expected)!r}"


def compare(question: Question, line: str) -> list[str]:
    if line.startswith("error"):
        return [line]
    answer = dict(map(decoded, line.split() if question.expected else ()))
    problems = (differs(name, value, answer) for name, value in question.expected.items())
    return [problem for problem in problems if problem]


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__)
        return 2
    seed = int(sys.argv[2] if len(sys.argv) == 3 else os.environ.get("ROOFLINE_SEED", str(random.randrange(2**32))))
    print(f"seed {seed}; closed forms agree with enumeration in {ref.check_closed_forms()} cases")
    asked = list(questions(seed))
    text = "".join(question.line + "\n" for question in asked)
    done = subprocess.run([sys.argv[1]], input=text, capture_output=True, text=True, check=False, timeout=300)
    lines = done.stdout.splitlines()
    passed = failed = 0
    if len(lines) != len(asked):
        print(f"{sys.argv[1]} answered {len(lines)} of {len(asked)} lines, exit {done.returncode}: {done.stderr}")
        failed = 1
    for question, line in zip(asked, lines, strict=False):
        problems = compare(question, line)
        passed += not problems and bool(question.expected)
        failed += bool(problems)
        if problems and failed <= 10:
            print(f"{question.line}\n    " + "\n    ".join(problems))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
