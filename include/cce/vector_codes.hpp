// Parameters for the modes of vector operations. A call passes a tag (PAT_ALL), or an integral constant of one of
// the device compiler's enumerations, as headers of Ascend C do.
#pragma once

namespace pto::ptosim_detail {

enum class VectorPatternCode : int {};
enum class VectorPartCode : int {};
enum class VectorQuarterCode : int {};
enum class VectorHalfCode : int {};
enum class VectorPositionCode : int {};
enum class VectorBinCode : int {};
enum class VectorOrderCode : int {};
enum class VectorMaskingCode : int { UNKNOWN, MERGING, ZEROING };
enum class VectorSaturationCode : int { NO_SAT, SAT, RS_DISABLE_VALUE = NO_SAT, RS_ENABLE_VALUE = SAT };
enum class VectorStoredCode : int {};
enum class VectorPostCode : int { POST_MODE_NORMAL, POST_MODE_UPDATE };

template <VectorPostCode Post_>
inline constexpr bool is_post_update<std::integral_constant<VectorPostCode, Post_>> =
    Post_ == VectorPostCode::POST_MODE_UPDATE;

enum class VectorCodes : uint8_t { Load, PredicateLoad, PredicateStore, Pattern, Part, Half, Order };

// The mode of a number in an enumeration; kModeNone if there is none.
constexpr uint8_t vector_code(VectorCodes codes, int number) {
#define PTO_VECTOR_CODE(Enumeration_, Number_, Name_) \
    if (codes == VectorCodes::Enumeration_ && number == Number_) return kMode##Name_;
#include "ptosim/vector_modes.def"
    return kModeNone;
}

constexpr VectorPattern way_of(VectorPatternCode code) {
    return static_cast<VectorPattern>(vector_code(VectorCodes::Pattern, static_cast<int>(code)));
}
constexpr VectorPart way_of(VectorPartCode code) {
    return static_cast<VectorPart>(vector_code(VectorCodes::Part, static_cast<int>(code)));
}
constexpr VectorPart way_of(VectorQuarterCode code) {
    return static_cast<VectorPart>(vector_code(VectorCodes::Part, static_cast<int>(code)));
}
constexpr VectorHalf way_of(VectorHalfCode code) {
    return static_cast<VectorHalf>(vector_code(VectorCodes::Half, static_cast<int>(code)));
}
constexpr VectorHalf way_of(VectorPositionCode code) {
    return static_cast<VectorHalf>(vector_code(VectorCodes::Half, static_cast<int>(code)));
}
constexpr VectorHalf way_of(VectorBinCode code) {
    return static_cast<VectorHalf>(vector_code(VectorCodes::Half, static_cast<int>(code)));
}
constexpr VectorOrder way_of(VectorOrderCode code) {
    return static_cast<VectorOrder>(vector_code(VectorCodes::Order, static_cast<int>(code)));
}
constexpr VectorMasking way_of(VectorMaskingCode code) {
    return code == VectorMaskingCode::MERGING   ? VectorMasking::kMerging
           : code == VectorMaskingCode::ZEROING ? VectorMasking::kZeroing
                                                : VectorMasking::kUnknown;
}
constexpr VectorSaturation way_of(VectorSaturationCode code) {
    return code == VectorSaturationCode::SAT ? VectorSaturation::kOn : VectorSaturation::kOff;
}
constexpr VectorStored way_of(VectorStoredCode code) {
    return static_cast<int>(code) == 0 ? VectorStored::kNotStored : VectorStored::kStored;
}
constexpr VectorRounding way_of(VectorRounding rounding) { return rounding; }

// A parameter for one way.
template <class Way_>
class VectorWay {
 public:
    constexpr VectorWay(Way_ way) : way_{way} {}  // NOLINT: implicit, as the others
    template <uint8_t Number_>
    constexpr VectorWay(VectorTag<Way_, Number_>) : way_{static_cast<Way_>(Number_)} {}  // NOLINT
    template <class Code_, Code_ Value_, class = std::enable_if_t<std::is_same_v<decltype(way_of(Value_)), Way_>>>
    constexpr VectorWay(std::integral_constant<Code_, Value_>) : way_{way_of(Value_)} {}  // NOLINT
    constexpr operator Way_() const { return way_; }                                      // NOLINT
    constexpr explicit operator uint8_t() const { return static_cast<uint8_t>(way_); }

 private:
    Way_ way_;
};

// A parameter for a distribution.
class VectorAccess {
 public:
    constexpr VectorAccess(VectorDistribution distribution)  // NOLINT: implicit, as the others
        : mode_{static_cast<uint8_t>(distribution)} {}
    template <uint8_t Number_>
    constexpr VectorAccess(VectorTag<VectorDistribution, Number_>) : mode_{Number_} {}  // NOLINT
    template <VectorStore Store_>
    constexpr VectorAccess(std::integral_constant<VectorStore, Store_>) : mode_{mode_of(Store_)} {}  // NOLINT
    template <VectorLoad Load_>
    constexpr VectorAccess(std::integral_constant<VectorLoad, Load_>)  // NOLINT
        : mode_{kModeNone}, code_{static_cast<int>(Load_)} {}

    // Of registers.
    constexpr uint8_t mode() const { return code_ < 0 ? mode_ : vector_code(VectorCodes::Load, code_); }
    // Codes of predicates: US, DS and PK are names of distributions of registers, too.
    constexpr uint8_t predicate_load() const {
        return code_ >= 0 ? vector_code(VectorCodes::PredicateLoad, code_) : predicate();
    }
    constexpr uint8_t predicate_store() const {
        return code_ >= 0 ? vector_code(VectorCodes::PredicateStore, code_) : predicate();
    }

 private:
    constexpr uint8_t predicate() const {
        switch (mode_) {
            case kModeUsB8:
                return kModePredicateUs;
            case kModeDsB8:
                return kModePredicateDs;
            case kModePkB16:
                return kModePredicatePk;
            default:
                return kModePredicate;
        }
    }
    static constexpr uint8_t mode_of(VectorStore store) {
        switch (store) {
#define PTO_VECTOR_STORE(Name_, Number_, Cpp_) \
    case VectorStore::Cpp_:                    \
        return kMode##Name_;
#include "ptosim/vector_modes.def"
        }
        return kModeNone;
    }
    uint8_t mode_;
    int code_ = -1;
};

}  // namespace pto::ptosim_detail

#if defined(__NPU_DEVICE__) || defined(__NPU_HOST__)
using Pat = ::pto::ptosim_detail::VectorPatternCode;
using Part = ::pto::ptosim_detail::VectorPartCode;
using Part_T = ::pto::ptosim_detail::VectorQuarterCode;
using HiloPart = ::pto::ptosim_detail::VectorHalfCode;
using Pos = ::pto::ptosim_detail::VectorPositionCode;
using Bin = ::pto::ptosim_detail::VectorBinCode;
using Order = ::pto::ptosim_detail::VectorOrderCode;
using Mode = ::pto::ptosim_detail::VectorMaskingCode;
using RoundingSaturation = ::pto::ptosim_detail::VectorSaturationCode;
using StoreMode = ::pto::ptosim_detail::VectorStoredCode;
using Post = ::pto::ptosim_detail::VectorPostCode;
using ROUND = ::pto::ptosim_detail::VectorRounding;
#endif
