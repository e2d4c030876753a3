// Vector intrinsics against an independent model in numpy (intrinsic_goldens.py).
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isa/intrinsics/intrinsic.h"

namespace ptosim {
namespace {

struct GoldenCall {
    std::string line, name;
    IntrinsicCall call;
    IntrinsicState state;
    std::map<std::string, std::string> words;
    std::string before, after, cmpmask;

    uint64_t word(const std::string& of) const {
        const auto found = words.find(of);
        return found == words.end() ? 0 : std::stoull(found->second);
    }
};

// Names of types, one for all operands if it is alone.
std::array<DType, IntrinsicCall::kMaxTypes> types_of(const std::string& text) {
    std::vector<DType> types;
    std::istringstream names(text == "-" ? std::string() : text);
    for (std::string name; std::getline(names, name, ',');)
        types.push_back(parse_dtype(name).value());
    std::array<DType, IntrinsicCall::kMaxTypes> all{};
    for (size_t i = 0; i < all.size() && !types.empty(); ++i)
        all[i] = types[std::min(i, types.size() - 1)];
    return all;
}

// The sixteen addresses of VA registers `first` and the next.
std::array<uint64_t, 16> addresses_of(const GoldenCall& golden, uint64_t first) {
    std::array<uint64_t, 16> addresses{};
    for (uint64_t half = 0; half < 2; ++half) {
        std::istringstream list(golden.words.at("va" + std::to_string(first + half)));
        std::string address;
        for (size_t i = 0; std::getline(list, address, ','); ++i)
            addresses.at(8 * half + i) = std::stoull(address);
    }
    return addresses;
}

GoldenCall read_line(const std::string& line) {
    GoldenCall golden;
    golden.line = line;
    std::istringstream words(line);
    std::string word, types;
    uint64_t counter = 0, count = 0;
    IntrinsicCall& call = golden.call;
    words >> word >> golden.name >> types >> call.registers.mask[0] >> call.registers.mask[1] >>
        counter >> call.registers.ctrl >> golden.state.cmpmask[0] >> golden.state.cmpmask[1] >>
        count;
    const IntrinsicInfo* row = find_intrinsic(golden.name);
    INFO(line);
    REQUIRE(word == "case");
    REQUIRE(row != nullptr);
    REQUIRE(count <= call.arguments.size());
    call.opcode = row->opcode;
    call.counter_mode = counter != 0;
    call.types = types == "-" && row->types.size() == 1 ? row->types[0].of : types_of(types);
    for (uint64_t i = 0; i < count; ++i) words >> call.arguments[i];
    while (words >> word)
        if (const size_t at = word.find('='); at != word.npos)
            golden.words[word.substr(0, at)] = word.substr(at + 1);
    for (unsigned i = 0; i < row->form.argument_count(); ++i)
        if (row->form.argument(i).kind == IntrinsicArgumentKind::kRegisterValue)
            call.arguments[i] = golden.word("deqscale");
    if (golden.name.starts_with("scatter_vnchwconv")) {
        const auto a = call.arguments;
        const IntrinsicCall whole = transposition_call(
            call.opcode, call.types[0], addresses_of(golden, a[0]), addresses_of(golden, a[1]),
            a[2], a[3], a[4], a[5] != 0, a[6] != 0);
        call.arguments = whole.arguments;
    }
    return golden;
}

std::vector<GoldenCall> read_calls() {
    std::ifstream file(PTOSIM_GOLDENS "/intrinsics.bin", std::ios::binary);
    REQUIRE(file.good());
    std::vector<GoldenCall> calls;
    for (std::string line; std::getline(file, line);) {
        GoldenCall golden = read_line(line);
        const size_t size = std::stoull(line.substr(line.rfind(' ')));
        const auto bytes = [&file](size_t count) {
            std::string text(count, '\0');
            file.read(text.data(), static_cast<std::streamsize>(count));
            REQUIRE(file.good());
            return text;
        };
        golden.before = bytes(size);
        golden.after = bytes(size);
        golden.cmpmask = bytes(16);
        calls.push_back(std::move(golden));
    }
    return calls;
}

std::string difference(const std::string& got, const std::string& expected) {
    size_t first = 0, count = 0;
    for (size_t i = got.size(); i-- > 0;)
        if (got[i] != expected[i]) {
            first = i;
            ++count;
        }
    if (count == 0) return {};
    const size_t word = first / 4 * 4;
    uint32_t a = 0, b = 0;
    std::memcpy(&a, got.data() + word, std::min<size_t>(4, got.size() - word));
    std::memcpy(&b, expected.data() + word, std::min<size_t>(4, got.size() - word));
    std::ostringstream text;
    text << count << " bytes, the first is " << first << ": word " << std::hex << a << ", expected "
         << b;
    return text.str();
}

// Problem of the results of a call; empty if none.
std::string wrong_of(const GoldenCall& golden) {
    std::string result = golden.before;
    IntrinsicState state = golden.state;
    auto* const ub = reinterpret_cast<std::byte*>(result.data());
    Problem problem;
    if (!check_intrinsic(golden.call, golden.before.size(), problem))
        return "refused: " + problem.code + " " + problem.message + " (" + problem.hint + ")";
    compute(golden.call, state, ub, result.size(), Numerics::kIEEE);
    std::string wrong = difference(result, golden.after);
    if (std::memcmp(state.cmpmask.data(), golden.cmpmask.data(), 16) != 0) wrong += " CMPMASK";
    const std::pair<const char*, uint64_t> registers[] = {
        {"after_rsvd_cnt", state.rsvd_cnt},
        {"after_vms4_sr", state.vms4_sr},
        {"after_acc_val", state.acc_val},
        {"after_max_min_cnt", state.max_min_cnt}};
    for (const auto& [name, value] : registers)
        if (golden.words.contains(name) && golden.word(name) != value)
            wrong += std::string(" ") + name + " is " + std::to_string(value);
    return wrong;
}

// Bytes of UB that a call reads, or writes; by_data: whether there are others.
struct Touched {
    std::string reads, writes;
    bool by_data = false;
    bool covers = false;
};
Touched touched_by(const GoldenCall& golden) {
    const std::string none(golden.before.size(), '\0');
    // Mode 2 of vsel reads from the address in CMPMASK; the other half of a byte of 4-bit results keeps its value.
    Touched touched{none, none, golden.name == "vsel" || golden.call.types[0] == DType::kI4};
    for (const IntrinsicFootprint& footprint : footprints(golden.call)) {
        touched.by_data |= footprint.by_data;
        touched.covers |= footprint.write && footprint.covers;
        std::string& bytes = footprint.write ? touched.writes : touched.reads;
        for (const IntrinsicRows& rows : footprint.rows)
            for (uint64_t row = 0; !footprint.by_data && row < rows.count; ++row)
                bytes.replace(rows.begin + row * rows.pitch, rows.length, rows.length, '\1');
    }
    return touched;
}

// Errors in the footprints of a call with the results `golden.after`: written bytes outside of them, bytes in them that
// are not written, or results that change with bytes that are not read.
std::string wrong_footprints(const GoldenCall& golden, std::string ub) {
    const Touched touched = touched_by(golden);
    for (size_t i = 0; i < ub.size(); ++i)
        if (ub[i] != golden.after[i] && touched.writes[i] == '\0')
            return "writes byte " + std::to_string(i) + ", which is not in its footprint";
    if (touched.by_data) return {};
    std::string other = ub;
    for (size_t i = 0; i < ub.size(); ++i)
        if (touched.reads[i] == '\0') other[i] = static_cast<char>(other[i] ^ 0x5A);
    const std::string background = other;
    IntrinsicState state = golden.state;
    compute(golden.call, state, reinterpret_cast<std::byte*>(other.data()), other.size(),
            Numerics::kIEEE);
    for (size_t i = 0; i < ub.size(); ++i)
        if ((other[i] != background[i] || (touched.writes[i] != '\0' && !touched.covers)) &&
            other[i] != golden.after[i])
            return "byte " + std::to_string(i) +
                   " is not written, or depends on bytes that are not in a footprint";
    return {};
}

}  // namespace

TEST_CASE("every intrinsic gives the bits of the model in numpy", "[intrinsic]") {
    std::set<std::string> seen;
    std::vector<std::string> wrong;
    for (const GoldenCall& golden : read_calls()) {
        seen.insert(golden.name);
        std::string what = wrong_of(golden);
        if (what.empty()) what = wrong_footprints(golden, golden.before);
        if (!what.empty()) wrong.push_back(golden.line + ": " + what);
    }
    for (const std::string& what : wrong) UNSCOPED_INFO(what);
    CHECK(wrong.empty());
    // All intrinsics of pipe V, except the ones that intrinsic_test.cpp tests with results worked out by hand.
    for (unsigned i = 0; i < kIntrinsicOpcodeCount; ++i) {
        const IntrinsicInfo& row = info(static_cast<IntrinsicOpcode>(i));
        if (row.form.unit != IntrinsicUnit::kVector) continue;
        const std::string name(row.name);
        if (name.starts_with("vmulconv") || name == "get_cmpmask") continue;
        INFO(name);
        CHECK(seen.contains(name));
    }
}

}  // namespace ptosim
