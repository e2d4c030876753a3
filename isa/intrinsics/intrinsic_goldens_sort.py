"""Sorting of 32 elements, merging of sorted lists.

Argument order: vbitsort (dst, scores, indices, repeat); vmrgsort4 (dst, four addresses of lists, lengths, config),
the addresses one after the other here, unused ones 0. Lengths are four fields of 16 bits; config: repeats in bits
0-7, valid lists in bits 8-11, stop at the end of a list in bit 12; VMS4_SR: four fields of 16 bits. asc-devkit
impl/basic_api/dav_c220/kernel_operator_proposal_impl.h, hw-native-sys/pto-isa include/pto/npu/a2a3/TMrgSort.hpp.
Results: asc-devkit docs/zh/api/SIMD-API, Sort32.md, MrgSort.md, GetMrgSortResult.md.

A structure has 8 bytes: the score, for f16 two reserved bytes, the index.
"""
import itertools

import numpy as np

from intrinsic_goldens_call import Call, Window, mask_of, models
from intrinsic_goldens_elementwise import FLOATS
from intrinsic_goldens_numbers import NATIVE, any_values, size_of

RECORD = 8


def structures(call, at, count):
    """Bytes of the structures at an address, and their scores."""
    records = call.ub[at:at + RECORD * count].reshape(count, RECORD).copy()
    size = size_of(call.types[0])
    return records, records[:, :size].copy().view(NATIVE[call.types[0]])[:, 0]


@models("vbitsort")
def vbitsort(call):
    """Greatest score first; equal ones keep their order. Rule reserved_bytes: of f16 two bytes become 0."""
    dst, scores, indices, repeat = call.args
    name, size = call.types[0], size_of(call.types[0])
    for r in range(repeat):
        score = call.view(name)[scores // size + 32 * r:][:32].copy()
        index = call.view("u32")[indices // 4 + 32 * r:][:32].copy()
        order = sorted(range(32), key=lambda i: -float(score[i]))
        for place, i in enumerate(order):
            at = dst + RECORD * (32 * r + place)
            call.ub[at + size:at + 4] = 0
            call.ub[at:at + size] = score[i:i + 1].view(np.uint8)
            call.ub[at + 4:at + 8] = index[i:i + 1].view(np.uint8)


@models("vmrgsort4")
def vmrgsort4(call):
    """Greatest score first; of equal ones that of the earlier list."""
    dst, addresses, lengths, config = call.args[0], call.args[1:5], call.args[5], call.args[6]
    lists = [i for i in range(4) if config >> 8 & 1 << i]
    counts = [lengths >> 16 * i & 0xFFFF for i in range(4)]
    stops, total = config >> 12 & 1, sum(counts[i] for i in lists)
    taken = [0] * 4
    for r in range(config & 0xFF):
        parts = {i: structures(call, addresses[i] + RECORD * total * r, counts[i]) for i in lists}
        taken = [0] * 4
        for place in range(total):
            left = [i for i in lists if taken[i] < counts[i]]
            best = max(left, key=lambda i: (float(parts[i][1][taken[i]]), -i))
            at = dst + RECORD * (total * r + place)
            call.ub[at:at + RECORD] = parts[best][0][taken[best]]
            taken[best] += 1
            if stops and taken[best] == counts[best]:
                break
    if stops:
        call.after["vms4_sr"] = sum(n << 16 * i for i, n in enumerate(taken))


# ---- Cases --------------------------------------------------------------------------------------------


def scores_of(rng, name, count, few):
    """Scores without NaN and -0; `few` different ones, to have equal ones."""
    values = rng.integers(-3, 4, count).astype(NATIVE[name]) if few else any_values(rng, name, count)
    return np.where(np.isnan(values), 2.5, values + values.dtype.type(0)).astype(NATIVE[name])


def sort_cases(book):
    for type_, few, repeat in itertools.product(FLOATS, (False, True), (0, 1, 2, 5, 7, 31)):
        rng = book.rng("vbitsort")
        window = Window(rng)
        count = 32 * max(repeat, 1)
        scores = window.place(count * size_of(type_), scores_of(rng, type_, count, few), 128)
        indices = window.place(4 * count, rng.permutation(count).astype(np.uint32) * 7, 128)
        dst = window.place(RECORD * count, np.zeros(RECORD * count, np.uint8), 256)
        book.add(Call("vbitsort", [type_, type_, "u32"], [dst, scores, indices, repeat], window.ub(),
                      mask_of(rng, "random")))
    for type_ in FLOATS:
        rng = book.rng("vbitsort")
        window = Window(rng)
        zeros = rng.choice([0.0, -0.0, 1.0, -1.0], 32).astype(NATIVE[type_])
        scores, indices = window.place(128, zeros, 128), window.place(128, np.arange(32, dtype=np.uint32), 128)
        dst = window.place(256, None if type_ == "f16" else np.zeros(256, np.uint8), 256)
        book.add(Call("vbitsort", [type_, type_, "u32"], [dst, scores, indices, 1], window.ub()), "reserved_bytes"
                 if type_ == "f16" else "equal_zeros")


def sorted_list(rng, name, count, few):
    records = np.zeros((count, RECORD), np.uint8)
    scores = np.sort(scores_of(rng, name, count, few))[::-1].copy()
    records[:, :size_of(name)] = scores.view(np.uint8).reshape(count, -1)
    records[:, 4:] = rng.integers(0, 1 << 32, count).astype(np.uint32).view(np.uint8).reshape(count, 4)
    return records


def merge_cases(book):
    shapes = [(32, 32), (1, 1), (5, 40), (64, 3), (32, 32, 32), (1, 20, 7), (32, 32, 32, 32), (1, 2, 3, 4),
              (128, 1, 1, 60), (16, 64, 32, 8)]
    for type_, few, counts, stops in itertools.product(FLOATS, (False, True), shapes, (0, 1)):
        rng = book.rng("vmrgsort4")
        window = Window(rng)
        places = [0] * 4
        for i in rng.permutation(len(counts)).tolist():
            places[i] = window.place(RECORD * counts[i], sorted_list(rng, type_, counts[i], few))
        dst = window.place(RECORD * sum(counts))
        config = 1 | ((1 << len(counts)) - 1) << 8 | stops << 12
        lengths = sum(n << 16 * i for i, n in enumerate(counts))
        book.add(Call("vmrgsort4", [type_], [dst, *places, lengths, config], window.ub(), mask_of(rng, "random")))
    for type_, few, (count, repeat) in itertools.product(FLOATS, (False, True), ((4, 2), (8, 3), (16, 1), (1, 30),
                                                                                 (8, 0), (3, 7))):
        rng = book.rng("vmrgsort4")
        window = Window(rng)
        lists = [sorted_list(rng, type_, count, few) for _ in range(4 * max(repeat, 1))]
        start = window.place(RECORD * count * len(lists), np.concatenate(lists))
        dst = window.place(RECORD * count * len(lists))
        lengths = sum(count << 16 * i for i in range(4))
        places = [start + RECORD * count * i for i in range(4)]
        book.add(Call("vmrgsort4", [type_], [dst, *places, lengths, repeat | 0xF00], window.ub()))


CASES = (sort_cases, merge_cases)
