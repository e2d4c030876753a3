#include "isa/table/attributes.h"

#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <string>

namespace ptosim {

namespace {

// Spellings differ in case, underscores and prefixes between the printed attributes and the C++
// enumerators ("atomic_add", "AtomicAdd"); they are compared without them.
std::string plain(std::string_view word) {
    std::string text;
    for (char c : word)
        if (c != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

bool parse_number(std::string_view word, unsigned limit, unsigned& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() && value <= limit;
}

template <typename Value>
struct Word {
    std::string_view text;  // in plain() form
    Value value;
};

template <typename Value, size_t N>
bool choose(std::string_view word, const std::array<Word<Value>, N>& words, Value& value) {
    const std::string text = plain(word);
    for (const auto& candidate : words)
        if (candidate.text == text) {
            value = candidate.value;
            return true;
        }
    return false;
}

// hw-native-sys/PTOAS include/PTO/IR/PTOAttrs.td lists the words; hw-native-sys/pto-isa include/pto/common/type.hpp the
// C++ enumerators. Numbers are the values of the enumerators.
bool set_round(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<RoundMode>, 15> kWords{{
        {"none", RoundMode::kNone},
        {"rint", RoundMode::kRint},
        {"round", RoundMode::kRound},
        {"floor", RoundMode::kFloor},
        {"ceil", RoundMode::kCeil},
        {"trunc", RoundMode::kTrunc},
        {"odd", RoundMode::kOdd},
        {"castnone", RoundMode::kNone},
        {"castrint", RoundMode::kRint},
        {"castround", RoundMode::kRound},
        {"castfloor", RoundMode::kFloor},
        {"castceil", RoundMode::kCeil},
        {"casttrunc", RoundMode::kTrunc},
        {"castodd", RoundMode::kOdd},
        {"7", RoundMode::kRint},  // CAST_RINT of PTO_RoundModeEnum
    }};
    unsigned number = 0;
    if (parse_number(word, 6, number)) {
        a.round = static_cast<RoundMode>(number);
        return true;
    }
    return choose(word, kWords, a.round);
}

bool set_saturation(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<Saturation>, 6> kWords{{
        {"on", Saturation::kOn},
        {"off", Saturation::kOff},
        {"0", Saturation::kOn},
        {"1", Saturation::kOff},
        {"sat", Saturation::kOn},
        {"nosat", Saturation::kOff},
    }};
    if (!choose(word, kWords, a.saturation)) return false;
    a.saturation_from = SaturationFrom::kKernel;
    return true;
}

bool set_compare(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<CompareMode>, 12> kWords{{
        {"eq", CompareMode::kEq},
        {"ne", CompareMode::kNe},
        {"lt", CompareMode::kLt},
        {"le", CompareMode::kLe},
        {"gt", CompareMode::kGt},
        {"ge", CompareMode::kGe},
        {"0", CompareMode::kEq},
        {"1", CompareMode::kNe},
        {"2", CompareMode::kLt},
        {"3", CompareMode::kLe},
        {"4", CompareMode::kGt},
        {"5", CompareMode::kGe},
    }};
    return choose(word, kWords, a.compare);
}

bool set_relu(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<ReluMode>, 4> kWords{{
        {"norelu", ReluMode::kNone},
        {"normalrelu", ReluMode::kNormal},
        {"0", ReluMode::kNone},
        {"1", ReluMode::kNormal},
    }};
    return choose(word, kWords, a.relu);
}

bool set_atomic(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<AtomicMode>, 8> kWords{{
        {"atomicnone", AtomicMode::kNone},
        {"atomicadd", AtomicMode::kAdd},
        {"atomicmax", AtomicMode::kMax},
        {"atomicmin", AtomicMode::kMin},
        {"none", AtomicMode::kNone},
        {"add", AtomicMode::kAdd},
        {"max", AtomicMode::kMax},
        {"min", AtomicMode::kMin},
    }};
    return choose(word, kWords, a.atomic);
}

bool set_phase(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<UnitFlagPhase>, 6> kWords{{
        {"unspecified", UnitFlagPhase::kUnspecified},
        {"partial", UnitFlagPhase::kPartial},
        {"final", UnitFlagPhase::kFinal},
        {"0", UnitFlagPhase::kUnspecified},
        {"2", UnitFlagPhase::kPartial},
        {"3", UnitFlagPhase::kFinal},
    }};
    return choose(word, kWords, a.phase);
}

bool set_acc_to_vec(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<AccToVec>, 8> kWords{{
        {"singlemodevec0", AccToVec::kSingle0},
        {"singlemodevec1", AccToVec::kSingle1},
        {"dualmodesplitm", AccToVec::kDualSplitM},
        {"dualmodesplitn", AccToVec::kDualSplitN},
        {"0", AccToVec::kSingle0},
        {"1", AccToVec::kSingle1},
        {"2", AccToVec::kDualSplitM},
        {"3", AccToVec::kDualSplitN},
    }};
    return choose(word, kWords, a.acc_to_vec);
}

bool set_quant(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<QuantType>, 4> kWords{{
        {"int8sym", QuantType::kInt8Sym},
        {"int8asym", QuantType::kInt8Asym},
        {"mxfp8", QuantType::kMxFp8},
        {"mxfp4e2m1", QuantType::kMxFp4E2M1},
    }};
    return choose(word, kWords, a.quant);
}

bool set_mask_pattern(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<uint8_t>, 7> kWords{{
        {"p0101", 1},
        {"p1010", 2},
        {"p0001", 3},
        {"p0010", 4},
        {"p0100", 5},
        {"p1000", 6},
        {"p1111", 7},
    }};
    unsigned number = 0;
    if (parse_number(word, 7, number)) {
        a.mask_pattern = static_cast<uint8_t>(number);
        return number > 0;
    }
    return choose(word, kWords, a.mask_pattern);
}

bool set_bool(bool& field, std::string_view word) {
    static constexpr std::array<Word<bool>, 4> kWords{
        {{"true", true}, {"false", false}, {"1", true}, {"0", false}}};
    return choose(word, kWords, field);
}

bool set_byte(Attributes& a, std::string_view word) {
    if (plain(word).starts_with("byte")) word = word.substr(word.size() - 1);
    unsigned number = 0;
    if (!parse_number(word, 3, number)) return false;
    a.byte_select = static_cast<uint8_t>(number);
    return true;
}

// The older form: the high or the low byte of a 16-bit element.
bool set_most_significant(Attributes& a, std::string_view word) {
    bool high = false;
    if (!set_bool(high, word)) return false;
    a.byte_select = high ? 1 : 0;
    return true;
}

bool set_rounds(Attributes& a, std::string_view word) {
    unsigned number = 0;
    if (!parse_number(word, 255, number)) return false;
    a.rounds = static_cast<uint8_t>(number);
    return true;
}

bool set_triangle(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<bool>, 6> kWords{{
        {"upper", true},
        {"lower", false},
        {"1", true},
        {"0", false},
        {"true", true},
        {"false", false},
    }};
    return choose(word, kWords, a.upper);
}

bool set_precision(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<bool>, 4> kWords{{
        {"default", false},
        {"highprecision", true},
        {"0", false},
        {"1", true},
    }};
    return choose(word, kWords, a.high_precision);
}

bool set_out_of_bounds(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<OutOfBounds>, 5> kWords{{
        {"undefined", OutOfBounds::kUndefined},
        {"clamp", OutOfBounds::kClamp},
        {"wrap", OutOfBounds::kWrap},
        {"zero", OutOfBounds::kZero},
        {"skip", OutOfBounds::kSkip},
    }};
    return choose(word, kWords, a.out_of_bounds);
}

bool set_coalesce(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<bool>, 3> kWords{
        {{"row", false}, {"elem", true}, {"element", true}}};
    return choose(word, kWords, a.by_element);
}

bool set_scale_algorithm(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<bool>, 4> kWords{
        {{"ocp", false}, {"nv", true}, {"0", false}, {"1", true}}};
    return choose(word, kWords, a.nvidia_scale);
}

bool set_group_axis(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<bool>, 4> kWords{
        {{"axis1", false}, {"axis0", true}, {"1", false}, {"0", true}}};
    return choose(word, kWords, a.group_rows);
}

bool set_insert_mode(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<uint8_t>, 2> kWords{{{"split2", 2}, {"split4", 3}}};
    return choose(word, kWords, a.insert_split);
}

bool set_index_offset(Attributes& a, std::string_view word) {
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), a.index_offset);
    return error == std::errc{} && end == word.data() + word.size();
}

// Like GatherAxis and ScatterAxis: along a row, or down the columns.
bool set_axis(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<bool>, 4> kWords{
        {{"row", false}, {"col", true}, {"0", false}, {"1", true}}};
    return choose(word, kWords, a.along_rows);
}

bool set_print_format(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<uint8_t>, 6> kWords{{
        {"width8precision4", 0},
        {"width8precision2", 1},
        {"width10precision6", 2},
        {"0", 0},
        {"1", 1},
        {"2", 2},
    }};
    return choose(word, kWords, a.print_format);
}

bool set_factor_rounding(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<FactorRounding>, 5> kWords{{
        {"none", FactorRounding::kNone},
        {"tf32roundaway", FactorRounding::kTf32Away},
        {"tf32roundeven", FactorRounding::kTf32Even},
        {"hf32roundaway", FactorRounding::kHf32Away},
        {"hf32roundeven", FactorRounding::kHf32Even},
    }};
    return choose(word, kWords, a.factor_rounding);
}

// "2x3x4": as many numbers as there are fields.
template <typename... Fields>
bool set_numbers(std::string_view word, Fields&... fields) {
    bool good = true;
    const auto next = [&](auto& field) {
        const size_t end = std::min(word.find('x'), word.size());
        uint64_t value = 0;
        const auto [rest, error] = std::from_chars(word.data(), word.data() + end, value);
        using Field = std::remove_reference_t<decltype(field)>;
        good = good && error == std::errc{} && rest == word.data() + end &&
               value <= std::numeric_limits<Field>::max();
        field = static_cast<Field>(value);
        word.remove_prefix(std::min(end + 1, word.size()));
    };
    (next(fields), ...);
    return good && word.empty();
}

// "NC1HWC0:2x1x7x7x16".
bool set_conv_shape(ConvShape& shape, std::string_view word) {
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos) return false;
    const auto layout = parse_global_layout(word.substr(0, colon));
    if (!layout || !is_convolution(*layout)) return false;
    shape = ConvShape{.layout = *layout};
    word.remove_prefix(colon + 1);
    for (int32_t& extent : shape.dims) {
        if (word.empty()) break;
        const size_t end = std::min(word.find('x'), word.size());
        if (!set_numbers(word.substr(0, end), extent) || extent == 0) return false;
        word.remove_prefix(std::min(end + 1, word.size()));
    }
    return word.empty();
}

bool set_pads(Attributes& a, std::string_view word) {
    return set_numbers(word, a.use_convolution().image.pad_left, a.use_convolution().image.pad_right, a.use_convolution().image.pad_top,
                       a.use_convolution().image.pad_bottom);
}

bool set_pipe(Pipe& field, std::string_view word) {
    const auto pipe = parse_pipe(word);
    if (pipe) field = *pipe;
    return pipe.has_value();
}

bool set_source_pipe(Attributes& a, std::string_view word) { return set_pipe(a.source_pipe, word); }
bool set_destination_pipe(Attributes& a, std::string_view word) {
    return set_pipe(a.destination_pipe, word);
}
// One pipe: the one that signals (sync.set) or the one that is held (sync.wait, barrier).
bool set_both_pipes(Attributes& a, std::string_view word) {
    return set_pipe(a.source_pipe, word) && set_pipe(a.destination_pipe, word);
}

bool set_event(Attributes& a, std::string_view word) {
    if (plain(word).starts_with("eventid")) word.remove_prefix(8);
    unsigned number = 0;
    if (!parse_number(word, 255, number)) return false;
    a.event_id = static_cast<uint8_t>(number);
    return true;
}

bool set_sync_cores(Attributes& a, std::string_view word) {
    static constexpr std::array<Word<SyncCores>, 5> kWords{{
        {"aivonly", SyncCores::kAIV},
        {"aiv", SyncCores::kAIV},
        {"aiconly", SyncCores::kAIC},
        {"aic", SyncCores::kAIC},
        {"mix", SyncCores::kMix},
    }};
    return choose(word, kWords, a.sync_cores);
}

bool set_cross_mode(Attributes& a, std::string_view word) {
    unsigned number = 0;
    if (!parse_number(word, 2, number)) return false;
    a.cross_mode = static_cast<uint8_t>(number);
    return true;
}

constexpr std::string_view kBool = "true false";
constexpr std::string_view kPipes = "PIPE_S PIPE_MTE2 PIPE_MTE1 PIPE_M PIPE_V PIPE_FIX PIPE_MTE3";
constexpr std::string_view kPhases = "unspecified partial final";
constexpr std::string_view kSaturations = "ON OFF";

constexpr std::string_view kConvShapes =
    "layout:extents, as NC1HWC0:2x1x7x7x16, or NCHW FRACTAL_Z NDC1HWC0 ...";
constexpr std::string_view kSides = "HEIGHTxWIDTH";

constexpr std::array<AttributeInfo, 57> kTable{{
    {kAttrRound, "rmode", "NONE RINT ROUND FLOOR CEIL TRUNC ODD CAST_RINT", set_round},
    {kAttrSaturation, "sat_mode", kSaturations, set_saturation},
    {kAttrSaturation, "satMode", kSaturations, set_saturation},
    {kAttrCompare, "cmpMode", "eq ne lt le gt ge", set_compare},
    {kAttrRelu, "reluPreMode", "no_relu normal_relu", set_relu},
    {kAttrAtomic, "atomicType", "atomic_none atomic_add atomic_max atomic_min", set_atomic},
    {kAttrAtomic, "scatterAtomicOp", "none add max min", set_atomic},
    {kAttrPhase, "stPhase", kPhases, set_phase},
    {kAttrPhase, "accPhase", kPhases, set_phase},
    {kAttrAccToVec, "accToVecMode",
     "single_mode_vec0 single_mode_vec1 dual_mode_split_m dual_mode_split_n", set_acc_to_vec},
    {kAttrQuant, "quant_type", "INT8_SYM INT8_ASYM MXFP8 MXFP4_E2M1", set_quant},
    {kAttrMaskPattern, "maskPattern", "P0101 P1010 P0001 P0010 P0100 P1000 P1111",
     set_mask_pattern},
    {kAttrByteSelect, "byte", "0 1 2 3", set_byte},
    {kAttrByteSelect, "isMSB", kBool, set_most_significant},
    {kAttrRounds, "rounds", "7 10", set_rounds},
    {kAttrDescending, "descending", kBool,
     [](Attributes& a, std::string_view word) { return set_bool(a.descending, word); }},
    {kAttrBinaryTree, "isBinary", kBool,
     [](Attributes& a, std::string_view word) { return set_bool(a.binary_tree, word); }},
    {kAttrExhausted, "exhausted", kBool,
     [](Attributes& a, std::string_view word) { return set_bool(a.exhausted, word); }},
    {kAttrUpper, "upperOrLower", "0 1 lower upper", set_triangle},
    {kAttrPrecision, "precisionType", "default high_precision", set_precision},
    {kAttrPrecision, "precision_mode", "default high_precision", set_precision},
    {kAttrOutOfBounds, "gatherOob", "undefined clamp wrap zero", set_out_of_bounds},
    {kAttrOutOfBounds, "scatterOob", "undefined skip clamp wrap", set_out_of_bounds},
    {kAttrCoalesce, "coalesce", "row elem", set_coalesce},
    {kAttrMxGroups, "quantScaleAlg", "ocp nv", set_scale_algorithm},
    {kAttrMxGroups, "grpAxis", "axis1 axis0", set_group_axis},
    {kAttrGroupAxis, "grpAxis", "axis1 axis0", set_group_axis},
    {kAttrSplit, "insertMode", "split2 split4", set_insert_mode},
    {kAttrMxGroups, "interleave", kBool,
     [](Attributes& a, std::string_view word) { return set_bool(a.interleave, word); }},
    {kAttrIndexOffset, "offset", "a 32-bit integer", set_index_offset},
    {kAttrConvShape, "srcConv", kConvShapes,
     [](Attributes& a, std::string_view word) { return set_conv_shape(a.use_convolution().src, word); }},
    {kAttrConvShape, "dstConv", kConvShapes,
     [](Attributes& a, std::string_view word) { return set_conv_shape(a.use_convolution().dst, word); }},
    {kAttrImage, "fmap", kSides,
     [](Attributes& a, std::string_view word) {
         return set_numbers(word, a.use_convolution().image.height, a.use_convolution().image.width);
     }},
    {kAttrImage, "pads", "LEFTxRIGHTxTOPxBOTTOM", set_pads},
    {kAttrImage, "filter", kSides,
     [](Attributes& a, std::string_view word) {
         return set_numbers(word, a.use_convolution().image.filter_height, a.use_convolution().image.filter_width);
     }},
    {kAttrImage, "dilation", kSides,
     [](Attributes& a, std::string_view word) {
         return set_numbers(word, a.use_convolution().image.dilation_height, a.use_convolution().image.dilation_width);
     }},
    {kAttrImage, "stride", kSides,
     [](Attributes& a, std::string_view word) {
         return set_numbers(word, a.use_convolution().image.stride_height, a.use_convolution().image.stride_width);
     }},
    {kAttrImage, "channels", "a number",
     [](Attributes& a, std::string_view word) { return set_numbers(word, a.use_convolution().image.channels); }},
    {kAttrImage, "repeat", "STRIDExTIMExMODE",
     [](Attributes& a, std::string_view word) {
         return set_numbers(word, a.use_convolution().image.repeat_stride, a.use_convolution().image.repeat_time, a.use_convolution().image.repeat_mode);
     }},
    {kAttrImage, "dstStride", "blocks of 16 rows",
     [](Attributes& a, std::string_view word) { return set_numbers(word, a.use_convolution().image.dst_stride); }},
    {kAttrImage, "dstPosition", "a number",
     [](Attributes& a, std::string_view word) { return set_numbers(word, a.use_convolution().image.dst_position); }},
    {kAttrImage, "transpose", kBool,
     [](Attributes& a, std::string_view word) { return set_bool(a.use_convolution().image.transpose, word); }},
    {kAttrImage, "padValue", "the bits of an element, as a number",
     [](Attributes& a, std::string_view word) { return set_numbers(word, a.use_convolution().image.pad_value); }},
    {kAttrImage, "registers", "0 (as given), 1 (set A), 2 (set B)",
     [](Attributes& a, std::string_view word) { return set_numbers(word, a.use_convolution().image.registers); }},
    {kAttrAxis, "axis", "row col", set_axis},
    {kAttrPrintFormat, "printFormat", "width8_precision4 width8_precision2 width10_precision6",
     set_print_format},
    {kAttrTf32, "tf32_mode", "none tf32_round_away tf32_round_even hf32_round_away hf32_round_even",
     set_factor_rounding},
    {kAttrPipes, "src_pipe", kPipes, set_source_pipe},
    {kAttrPipes, "dst_pipe", kPipes, set_destination_pipe},
    {kAttrPipes, "pipe", kPipes, set_both_pipes},
    {kAttrEvent, "event_id", "0 1 2 3 4 5 6 7", set_event},
    {kAttrCross, "ffts_mode", "0 1 2", set_cross_mode},
    {kAttrSyncCores, "core_type", "mix aic_only aiv_only", set_sync_cores},
    // C++ API spellings that some producers print.
    {kAttrRound, "roundMode", "NONE RINT ROUND FLOOR CEIL TRUNC ODD", set_round},
    {kAttrCompare, "cmp_mode", "eq ne lt le gt ge", set_compare},
    {kAttrAtomic, "atomic_type", "atomic_none atomic_add", set_atomic},
    {kAttrQuant, "quantType", "INT8_SYM INT8_ASYM MXFP8 MXFP4_E2M1", set_quant},
}};

}  // namespace

std::span<const AttributeInfo> attribute_table() { return kTable; }

const AttributeInfo* find_attribute(AttributeSet set, std::string_view key) {
    for (const AttributeInfo& row : kTable)
        if (set.has(row.set_of) && row.key == key) return &row;
    return nullptr;
}

}  // namespace ptosim
