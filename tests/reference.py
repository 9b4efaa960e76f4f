# SPDX-License-Identifier: Apache-2.0
"""The cost model a second time, in exact fractions, written from the equations of docs/theory.md alone.

It shares no code with the library and is slow on purpose: sums over positions are written as sums where that is
affordable. tests/reference_compare.py drives the library with random cases and compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from math import floor

COMPULSORY = "compulsory"
STREAMED = "streamed"
COMPUTE = "compute"
MEMORY = "memory"

FORMAT_BITS = {"fp32": 32, "fp16": 16, "bf16": 16, "fp8": 8, "int8": 8, "fp4": 4, "int4": 4}
WIDE_FORMATS = ("fp32", "fp16", "bf16")


class Unsupported(Exception):
    """The device has no units for the arithmetic that was asked for."""


def element_bytes(number_format: str) -> Fraction:
    return Fraction(FORMAT_BITS[number_format], 8)


def wider(first: str, second: str) -> str:
    """A product computes in the wider of its two operands."""
    return first if FORMAT_BITS[first] >= FORMAT_BITS[second] else second


# ------------------------------------------------------------------------------------------------------- one kernel


@dataclass(frozen=True)
class Device:
    peaks: dict[str, Fraction]  # FLOP/s by arithmetic
    bandwidth: Fraction  # bytes/s
    memory_bytes: int
    memory_usable_bytes: int = 0
    l2_bytes: int = 0

    def peak(self, arithmetic: str) -> Fraction:
        if arithmetic not in self.peaks:
            raise Unsupported(arithmetic)
        return self.peaks[arithmetic]

    def ridge(self, arithmetic: str) -> Fraction:
        return self.peak(arithmetic) / self.bandwidth


@dataclass(frozen=True)
class Bound:
    bound_s: Fraction
    compute_s: Fraction
    memory_s: Fraction
    regime: str
    intensity: Fraction | None
    attainable: Fraction | None


def bound(device: Device, arithmetic: str, flops: Fraction, moved: Fraction) -> Bound:
    compute_s = flops / device.peak(arithmetic)
    memory_s = moved / device.bandwidth
    intensity = flops / moved if moved else None
    attainable = None if intensity is None else min(device.peak(arithmetic), device.bandwidth * intensity)
    regime = MEMORY if memory_s > compute_s else COMPUTE
    return Bound(max(compute_s, memory_s), compute_s, memory_s, regime, intensity, attainable)


# --------------------------------------------------------------------------------------------------- matrix products


@dataclass(frozen=True)
class Gemm:
    tokens: int
    k: int
    n: int
    output_columns: int
    weight_format: str = "bf16"
    input_format: str = "bf16"
    output_format: str = "bf16"

    def flops(self) -> Fraction:
        return Fraction(2 * self.tokens * self.k * self.n)

    def weight_bytes(self) -> Fraction:
        return self.k * self.n * element_bytes(self.weight_format)

    def activation_bytes(self) -> Fraction:
        entering = self.tokens * self.k * element_bytes(self.input_format)
        leaving = self.tokens * self.output_columns * element_bytes(self.output_format)
        return entering + leaving

    def moved(self, traffic: str) -> Fraction:
        return self.weight_bytes() + (self.activation_bytes() if traffic == COMPULSORY else 0)

    def limit(self) -> Fraction:
        """Intensity for endless tokens: 2 T K N / (T K a + T N' o), the weights' share gone."""
        leaving = self.output_columns * element_bytes(self.output_format)
        return Fraction(2 * self.k * self.n) / (self.k * element_bytes(self.input_format) + leaving)


def crossover_streamed(ridge: Fraction, gemm: Gemm) -> Fraction:
    """2 T K N = ridge K N w."""
    return ridge * element_bytes(gemm.weight_format) / 2


def crossover_compulsory(ridge: Fraction, gemm: Gemm) -> Fraction | None:
    """2 T K N = ridge (T K a + K N w + T N' o), solved for T; None when no number of tokens solves it."""
    per_token = gemm.k * element_bytes(gemm.input_format) + gemm.output_columns * element_bytes(gemm.output_format)
    slope = 2 * gemm.k * gemm.n - ridge * per_token
    return ridge * gemm.weight_bytes() / slope if slope > 0 else None


# --------------------------------------------------------------------------------------------------------- attention


def pairs_enumerated(new: int, context: int, window: int) -> int:
    """The position p (1-based) attends itself and what is before it, at most `window` positions in all."""
    return sum(position if window == 0 else min(position, window) for position in range(context - new + 1, context + 1))


def pairs_closed(new: int, context: int, window: int) -> int:
    cached = context - new
    growing = new if window == 0 else min(max(window - cached, 0), new)
    return growing * cached + growing * (growing + 1) // 2 + (new - growing) * window


def kv_tokens_enumerated(new: int, context: int, window: int) -> int:
    attended: set[int] = set()
    for position in range(context - new + 1, context + 1):
        first = 1 if window == 0 else max(1, position - window + 1)
        attended.update(range(first, position + 1))
    return len(attended)


def kv_tokens_closed(new: int, context: int, window: int) -> int:
    return context if window == 0 else min(context, window + new - 1)


@dataclass(frozen=True)
class Heads:
    query: int
    kv: int
    dim: int
    value_dim: int
    window: int = 0


@dataclass(frozen=True)
class Sequences:
    count: int
    new: int
    context: int
    rows: int = 1  # of logits, per sequence


def attention_flops(heads: Heads, groups: list[Sequences]) -> Fraction:
    pairs = sum(group.count * pairs_closed(group.new, group.context, heads.window) for group in groups)
    return Fraction(2 * heads.query * pairs * (heads.dim + heads.value_dim))


def attention_kv_read(heads: Heads, groups: list[Sequences], kv_format: str) -> Fraction:
    read = sum(group.count * kv_tokens_closed(group.new, group.context, heads.window) for group in groups)
    return read * heads.kv * (heads.dim + heads.value_dim) * element_bytes(kv_format)


def attention_activations(heads: Heads, groups: list[Sequences], activation_format: str) -> Fraction:
    new = sum(group.count * group.new for group in groups)
    return new * heads.query * (heads.dim + heads.value_dim) * element_bytes(activation_format)


# ----------------------------------------------------------------------------------------------------------- experts

POWER_BITS = 500  # of the binary fraction in which large powers are kept: far beyond the comparison's 40 bits


def power(base: Fraction, exponent: int) -> Fraction:
    """base^exponent for base from 0 to 1: exact while it is short, then rounded to POWER_BITS binary digits."""
    if exponent * base.denominator.bit_length() <= 4 * POWER_BITS:
        return Fraction(base.numerator**exponent, base.denominator**exponent)
    half = power(base, exponent // 2)
    whole = half * half * (base if exponent % 2 else 1)
    return Fraction(floor(whole * 2**POWER_BITS), 2**POWER_BITS)


def active_experts(experts: int, per_token: int, tokens: int) -> Fraction:
    """Expected number of experts that some token chooses, each choosing k of E evenly: E (1 - (1 - k/E)^T)."""
    return experts * (1 - power(Fraction(experts - per_token, experts), tokens))


def active_experts_enumerated(experts: int, per_token: int, tokens: int) -> Fraction:
    """The mean over every choice that the tokens can make together."""
    choices = list(combinations(range(experts), per_token))
    outcomes = [len(set().union(*chosen)) for chosen in product(choices, repeat=tokens)]
    return Fraction(sum(outcomes), len(outcomes))


# ------------------------------------------------------------------------------------------------------------ models


@dataclass(frozen=True)
class Experts:
    count: int
    per_token: int
    intermediate: int


@dataclass(frozen=True)
class LayerGroup:
    layers: int
    heads: Heads
    intermediate: int
    gated: bool = True
    vector_parameters: int = 0
    experts: Experts | None = None

    def gates(self) -> int:
        return 2 if self.gated else 1

    def up_columns(self) -> int:
        return self.intermediate * self.gates()

    def expert_elements(self, hidden: int) -> int:
        return hidden * self.experts.intermediate * (self.gates() + 1) if self.experts else 0

    def router_elements(self, hidden: int) -> int:
        return hidden * self.experts.count if self.experts else 0

    def qkv_columns(self) -> int:
        heads = self.heads
        return heads.query * heads.dim + heads.kv * (heads.dim + heads.value_dim)

    def matrix_elements(self, hidden: int) -> int:
        columns = self.qkv_columns() + self.heads.query * self.heads.value_dim
        return hidden * (columns + self.up_columns() + self.intermediate)


@dataclass(frozen=True)
class Model:
    hidden: int
    vocab: int
    tied: bool
    groups: tuple[LayerGroup, ...]
    position_rows: int = 0
    vector_parameters: int = 0

    def layer_elements(self) -> int:
        """Every expert, without the routers, which are kept in the format of the logits' matrix."""
        return self.passed_elements() + sum(
            group.layers * group.experts.count * group.expert_elements(self.hidden)
            for group in self.groups
            if group.experts
        )

    def passed_elements(self) -> int:
        return sum(group.layers * group.matrix_elements(self.hidden) for group in self.groups)

    def layer_elements_streamed(self) -> int:
        """Of the experts those that one token passes."""
        return self.passed_elements() + sum(
            group.layers * group.experts.per_token * group.expert_elements(self.hidden)
            for group in self.groups
            if group.experts
        )

    def routers(self) -> int:
        return sum(group.layers * group.router_elements(self.hidden) for group in self.groups)

    def vectors(self) -> int:
        return self.vector_parameters + sum(group.layers * group.vector_parameters for group in self.groups)

    def parameters_streamed(self) -> int:
        return self.layer_elements_streamed() + self.routers() + self.hidden * self.vocab

    def parameters_outside_layers(self) -> int:
        """What is kept in head_weights."""
        tables = self.vocab * (1 if self.tied else 2) + self.position_rows
        return self.hidden * tables + self.vectors() + self.routers()

    def parameters_total(self) -> int:
        return self.layer_elements() + self.parameters_outside_layers()


# ------------------------------------------------------------------------------------------------------- deployments


@dataclass(frozen=True)
class Deployment:
    weights: str = "bf16"
    activations: str = "bf16"
    kv: str = "bf16"
    residual: str = "bf16"
    head_weights: str = "bf16"
    traffic: str = COMPULSORY
    memory_fraction: Fraction = Fraction(9, 10)
    capacity_bytes: int = 0
    reserve_bytes: int = 0
    activation_bytes: int = 0
    block_tokens: int = 16
    output_slots: int = 0
    host_s_per_step: Fraction = Fraction(0)

    def linear_arithmetic(self) -> str:
        return wider(self.weights, self.activations)

    def attention_arithmetic(self) -> str:
        return self.residual

    def head_arithmetic(self) -> str:
        return wider(self.head_weights, self.residual)


def resolve(stored: str, given: dict[str, str]) -> dict[str, str]:
    """Formats of a deployment in which some are left at their default."""
    weights = given.get("weights", stored)
    default_residual = next((name for name in (weights, stored) if name in WIDE_FORMATS), "bf16")
    residual = given.get("residual", default_residual)
    return {
        "weights": weights,
        "residual": residual,
        "activations": given.get("activations", residual),
        "kv": given.get("kv", residual),
        "head_weights": given.get("head_weights", residual),
    }


# -------------------------------------------------------------------------------------------------------------- steps


@dataclass(frozen=True)
class Kernel:
    kind: str
    group: str
    arithmetic: str
    count: int
    flops: Fraction
    weight_bytes: Fraction = Fraction(0)
    kv_read_bytes: Fraction = Fraction(0)
    kv_write_bytes: Fraction = Fraction(0)
    activation_bytes: Fraction = Fraction(0)

    def moved(self) -> Fraction:
        return self.weight_bytes + self.kv_read_bytes + self.kv_write_bytes + self.activation_bytes


def layer_kernels(model: Model, deployment: Deployment, group: LayerGroup, work: list[Sequences]) -> Iterator[Kernel]:
    """One call of each kernel of one layer, times the layers of the group."""
    new = sum(row.count * row.new for row in work)
    compulsory = 1 if deployment.traffic == COMPULSORY else 0
    entering = element_bytes(deployment.activations)
    leaving = element_bytes(deployment.residual)
    heads, hidden, width = group.heads, model.hidden, group.intermediate

    def product(kind: str, k: int, n: int, output_columns: int, kv_write: Fraction = Fraction(0)) -> Kernel:
        return Kernel(
            kind,
            "linear",
            deployment.linear_arithmetic(),
            group.layers,
            Fraction(2 * new * k * n),
            weight_bytes=k * n * element_bytes(deployment.weights),
            kv_write_bytes=compulsory * kv_write,
            activation_bytes=compulsory * new * (k * entering + output_columns * leaving),
        )

    new_kv = new * heads.kv * (heads.dim + heads.value_dim) * element_bytes(deployment.kv)
    yield product("qkv", hidden, group.qkv_columns(), heads.query * heads.dim, new_kv)
    yield Kernel(
        "attention",
        "attention",
        deployment.attention_arithmetic(),
        group.layers,
        attention_flops(heads, work),
        kv_read_bytes=attention_kv_read(heads, work, deployment.kv),
        activation_bytes=compulsory * attention_activations(heads, work, deployment.residual),
    )
    yield product("attention_output", heads.query * heads.value_dim, hidden, hidden)
    if width:
        yield product("gate_up" if group.gated else "up", hidden, group.up_columns(), width)
        yield product("down", width, hidden, hidden)
    if group.experts:
        yield from expert_kernels(model, deployment, group, group.experts, new)


def expert_kernels(
    model: Model, deployment: Deployment, group: LayerGroup, experts: Experts, new: int
) -> Iterator[Kernel]:
    """Router, then both products: weights of the experts that are chosen, k rows of every token between the two."""
    compulsory = 1 if deployment.traffic == COMPULSORY else 0
    entering, leaving = element_bytes(deployment.activations), element_bytes(deployment.residual)
    hidden, rows = model.hidden, new * experts.per_token * experts.intermediate
    one = hidden * experts.intermediate * element_bytes(deployment.weights)
    read = active_experts(experts.count, experts.per_token, new)
    yield Kernel(
        "router",
        "linear",
        deployment.head_arithmetic(),
        group.layers,
        Fraction(2 * new * hidden * experts.count),
        weight_bytes=hidden * experts.count * element_bytes(deployment.head_weights),
        activation_bytes=compulsory * new * (hidden + experts.count) * leaving,
    )
    yield Kernel(
        "experts_gate_up" if group.gated else "experts_up",
        "linear",
        deployment.linear_arithmetic(),
        group.layers,
        Fraction(2 * rows * hidden * group.gates()),
        weight_bytes=read * one * group.gates(),
        activation_bytes=compulsory * (new * hidden * entering + rows * leaving),
    )
    yield Kernel(
        "experts_down",
        "linear",
        deployment.linear_arithmetic(),
        group.layers,
        Fraction(2 * rows * hidden),
        weight_bytes=read * one,
        activation_bytes=compulsory * (rows * entering + new * hidden * leaving),
    )


def end_kernels(model: Model, deployment: Deployment, work: list[Sequences]) -> Iterator[Kernel]:
    """Embedding rows gathered at the start, logits at the end."""
    new = sum(row.count * row.new for row in work)
    rows = sum(row.count * row.rows for row in work)
    compulsory = 1 if deployment.traffic == COMPULSORY else 0
    head, leaving = element_bytes(deployment.head_weights), element_bytes(deployment.residual)
    tables = 2 if model.position_rows else 1
    gathered = new * model.hidden * (tables * head + leaving)
    arithmetic = deployment.head_arithmetic()
    yield Kernel("embedding", "linear", arithmetic, 1, Fraction(0), activation_bytes=compulsory * gathered)
    if rows:
        yield Kernel(
            "logits",
            "linear",
            arithmetic,
            1,
            Fraction(2 * rows * model.hidden * model.vocab),
            weight_bytes=model.hidden * model.vocab * head,
            activation_bytes=compulsory * rows * (model.hidden + model.vocab) * leaving,
        )


def step_kernels(model: Model, deployment: Deployment, work: list[Sequences]) -> list[Kernel]:
    kernels = list(end_kernels(model, deployment, work))
    for group in model.groups:
        kernels.extend(layer_kernels(model, deployment, group, work))
    return kernels


@dataclass
class Step:
    regime: str = COMPUTE
    aggregate_s: Fraction = Fraction(0)
    phase_s: Fraction = Fraction(0)
    kernel_s: Fraction = Fraction(0)
    predicted_s: Fraction = Fraction(0)
    linear_s: Fraction = Fraction(0)
    attention_s: Fraction = Fraction(0)
    compute_s: Fraction = Fraction(0)
    memory_s: Fraction = Fraction(0)
    flops: Fraction = Fraction(0)
    bytes: Fraction = Fraction(0)
    weight_bytes: Fraction = Fraction(0)
    kv_read_bytes: Fraction = Fraction(0)
    kv_write_bytes: Fraction = Fraction(0)
    activation_bytes: Fraction = Fraction(0)
    memory_bound_s: Fraction = Fraction(0)
    sequences: int = 0
    new_tokens: int = 0
    logit_rows: int = 0
    kernels: list[Kernel] = field(default_factory=list)


def kernel_times(device: Device, kernel: Kernel) -> tuple[Fraction, Fraction]:
    """All calls of one row: FLOPs at the row's own peak, bytes at the bandwidth."""
    compute_s = kernel.count * kernel.flops / device.peak(kernel.arithmetic)
    return compute_s, kernel.count * kernel.moved() / device.bandwidth


def step(device: Device, model: Model, deployment: Deployment, work: list[Sequences]) -> Step:
    result = Step(
        sequences=sum(row.count for row in work),
        new_tokens=sum(row.count * row.new for row in work),
        logit_rows=sum(row.count * row.rows for row in work),
        kernels=step_kernels(model, deployment, work),
    )
    phases = {"linear": [Fraction(0), Fraction(0)], "attention": [Fraction(0), Fraction(0)]}
    for kernel in result.kernels:
        compute_s, memory_s = kernel_times(device, kernel)
        phases[kernel.group][0] += compute_s
        phases[kernel.group][1] += memory_s
        result.kernel_s += max(compute_s, memory_s)
        result.memory_bound_s += memory_s if memory_s > compute_s else 0
        result.flops += kernel.count * kernel.flops
        result.weight_bytes += kernel.count * kernel.weight_bytes
        result.kv_read_bytes += kernel.count * kernel.kv_read_bytes
        result.kv_write_bytes += kernel.count * kernel.kv_write_bytes
        result.activation_bytes += kernel.count * kernel.activation_bytes
    result.bytes = result.weight_bytes + result.kv_read_bytes + result.kv_write_bytes + result.activation_bytes
    result.linear_s = max(phases["linear"])
    result.attention_s = max(phases["attention"])
    result.phase_s = result.linear_s + result.attention_s
    result.compute_s = sum((phase[0] for phase in phases.values()), Fraction(0))
    result.memory_s = sum((phase[1] for phase in phases.values()), Fraction(0))
    result.aggregate_s = max(result.compute_s, result.memory_s)
    result.regime = MEMORY if result.memory_s > result.compute_s else COMPUTE
    result.predicted_s = result.kernel_s + deployment.host_s_per_step
    return result


# ------------------------------------------------------------------------------------------------------------- memory


def blocks_enumerated(new: int, context: int, window: int, block: int, slots: int) -> int:
    """Blocks touched by the positions that are needed while a step of `new` tokens runs, plus the output slots."""
    last = context + slots
    held = last if window == 0 else min(last, window + new - 1 + slots)
    return len({(position - 1) // block for position in range(last - held + 1, last + 1)})


def blocks_closed(new: int, context: int, window: int, block: int, slots: int) -> int:
    last = context + slots
    if window == 0:
        return -(-last // block)
    held = min(last, window + new - 1 + slots)
    return (last - 1) // block - (last - held) // block + 1


def kv_bytes_per_sequence(model: Model, deployment: Deployment, new: int, context: int) -> Fraction:
    held = Fraction(0)
    for group in model.groups:
        heads = group.heads
        blocks = blocks_closed(new, context, heads.window, deployment.block_tokens, deployment.output_slots)
        elements = group.layers * heads.kv * (heads.dim + heads.value_dim)
        held += blocks * deployment.block_tokens * elements * element_bytes(deployment.kv)
    return held


@dataclass(frozen=True)
class Memory:
    capacity_bytes: int
    budget_bytes: int
    weight_bytes: Fraction
    pool_bytes: Fraction
    kv_bytes_per_sequence: Fraction
    max_sequences: int
    required_bytes: Fraction
    short_bytes: Fraction
    fits: bool


def weight_bytes_resident(model: Model, deployment: Deployment) -> Fraction:
    layers = model.layer_elements() * element_bytes(deployment.weights)
    return layers + model.parameters_outside_layers() * element_bytes(deployment.head_weights)


def weight_bytes_streamed(model: Model, deployment: Deployment) -> Fraction:
    """By a step of one token."""
    layers = model.layer_elements_streamed() * element_bytes(deployment.weights)
    return layers + (model.routers() + model.hidden * model.vocab) * element_bytes(deployment.head_weights)


def memory(device: Device, model: Model, deployment: Deployment, context: int, sequences: int) -> Memory:
    capacity = deployment.capacity_bytes or device.memory_usable_bytes or device.memory_bytes
    budget = floor(deployment.memory_fraction * capacity)
    weights = weight_bytes_resident(model, deployment)
    fixed = weights + deployment.activation_bytes + deployment.reserve_bytes
    pool = max(Fraction(0), budget - fixed)
    one = kv_bytes_per_sequence(model, deployment, 1, context)
    required = fixed + sequences * one
    at_least = max(1, sequences)
    return Memory(
        capacity_bytes=capacity,
        budget_bytes=budget,
        weight_bytes=weights,
        pool_bytes=pool,
        kv_bytes_per_sequence=one,
        max_sequences=floor(pool / one),
        required_bytes=required,
        short_bytes=max(Fraction(0), required - budget),
        fits=fixed + at_least * one <= budget,
    )


# -------------------------------------------------------------------------------------- closed forms = enumerations


def check_closed_forms() -> int:
    """Every closed form against its enumeration on all small cases; returns how many were compared."""
    compared = 0
    for context in range(1, 25):
        for new in range(1, context + 1):
            for window in range(28):
                assert pairs_enumerated(new, context, window) == pairs_closed(new, context, window)
                assert kv_tokens_enumerated(new, context, window) == kv_tokens_closed(new, context, window)
                for block, slots in ((1, 0), (3, 1), (16, 2)):
                    enumerated = blocks_enumerated(new, context, window, block, slots)
                    assert enumerated == blocks_closed(new, context, window, block, slots)
                compared += 5
    for experts in range(1, 5):
        for per_token in range(1, experts + 1):
            for tokens in range(1, 5):
                mean = active_experts_enumerated(experts, per_token, tokens)
                assert mean == active_experts(experts, per_token, tokens)
                compared += 1
    return compared
