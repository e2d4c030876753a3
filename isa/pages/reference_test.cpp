// The reference page follows the table and names everything in the C++ API.
#include "isa/pages/reference.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "isa/core/arch.h"
#include "isa/legality/legality.h"
#include "isa/pages/cpp_forms.h"
#include "isa/pages/intrinsic_forms.h"

using namespace ptosim;

namespace {

std::string committed(const char* file) {
    std::stringstream text;
    text << std::ifstream(std::string(PTOSIM_ISA_DIR "/") + file).rdbuf();
    CHECK(!text.str().empty());
    return text.str();
}

}  // namespace

TEST_CASE("pages of reference begin with their title") {
    CHECK(reference_page().starts_with("# Instruction reference\n"));
    CHECK(coverage_page().starts_with("# "));
    CHECK(architectures_page().starts_with("# Architectures\n"));
    CHECK(open_rules_page().starts_with("# Numeric rules that a board settles\n"));
}

TEST_CASE("the headers' lists of operations by form are up to date (ptosim isa --cpp-forms)") {
    CHECK((committed("../include/pto/instructions/forms.hpp") == cpp_forms_header()));
}

TEST_CASE("the headers of intrinsics are up to date (ptosim isa --intrinsic-forms)") {
    for (const std::string& group : intrinsic_groups()) {
        INFO(group);
        CHECK((committed(("../include/cce/" + group + "_intrinsics.hpp").c_str()) == intrinsic_forms_header(group)));
    }
}

TEST_CASE("isa/semantics/golden_counts.def counts the cases that the build made") {
    std::stringstream made;
    made << std::ifstream(PTOSIM_GOLDENS "/golden_counts.def").rdbuf();
    CHECK(!made.str().empty());
    CHECK((committed("semantics/golden_counts.def") == made.str()));
}

TEST_CASE("every legality rule has words and codes, and a name of its own") {
    std::set<std::string_view> names;
    for (const LegalityRule* rule : rules::all_rules()) {
        INFO(rule->name);
        CHECK(names.insert(rule->name).second);
        CHECK_FALSE(rule->text.empty());
        CHECK_FALSE(rule->codes.empty());
        CHECK(rule->holds != nullptr);
    }
}

// hw-native-sys/pto-isa include/pto/common/pto_instr.hpp.
TEST_CASE("every name of the C++ API is a row, a form of one, or explained") {
    std::stringstream names(
        "TSYNC SYNCALL TASSIGN TSUBVIEW TRESHAPE TGET_SCALE_ADDR SETFMATRIX SET_IMG2COL_RPT "
        "SET_IMG2COL_PADDING SET_QUANT_SCALAR SET_QUANT_VECTOR TPRINT TLOAD TSTORE TSTORE_FP "
        "TPREFETCH TPREFETCH_ASYNC MGATHER MSCATTER TADD TSUB TMIN TMAX TMUL TDIV TAND TOR TXOR "
        "TSHL "
        "TSHR TNOT TNEG TABS TRELU TEXP TLOG TSQRT TRSQRT TRECIP TPRELU TREM TFMOD TPOW TCMP TSEL "
        "TCVT TADDC TSUBC TMULADDDST TFUSEDMULADD TFUSEDMULADDRELU TSUBRELU TADDRELUCONV "
        "TSUBRELUCONV TADDDEQRELU TPAIRREDUCESUM TINTERLEAVE TDEINTERLEAVE TADDS TSUBS TMINS TMAXS "
        "TMULS TDIVS TAXPY TLRELU TANDS TORS TXORS TSHLS TSHRS TREMS TFMODS TPOWS TCMPS TSELS "
        "TEXPANDS TADDSC TSUBSC TROWSUM TROWMAX TROWMIN TROWPROD TROWARGMAX TROWARGMIN TCOLSUM "
        "TCOLMAX TCOLMIN TCOLPROD TCOLARGMAX TCOLARGMIN TROWEXPAND TCOLEXPAND TROWEXPANDADD "
        "TROWEXPANDSUB TROWEXPANDMUL TROWEXPANDMAX TROWEXPANDMIN TROWEXPANDDIV TROWEXPANDEXPDIF "
        "TCOLEXPANDADD TCOLEXPANDSUB TCOLEXPANDMUL TCOLEXPANDMAX TCOLEXPANDMIN TCOLEXPANDDIV "
        "TCOLEXPANDEXPDIF TMATMUL TMATMUL_ACC TMATMUL_BIAS TMATMUL_MX TGEMV TGEMV_ACC TGEMV_BIAS "
        "TGEMV_MX TMOV TMOV_FP TEXTRACT TEXTRACT_FP TINSERT TINSERT_FP TFILLPAD TFILLPAD_INPLACE "
        "TFILLPAD_EXPAND TTRANS TIMG2COL TCONCAT TMRGSORT TSORT32 TGATHER TGATHERB TSCATTER TCI "
        "TTRI "
        "TRANDOM TPARTADD TPARTMUL TPARTMAX TPARTMIN TPARTARGMAX TPARTARGMIN TQUANT TDEQUANT "
        "THISTOGRAM TPUSH TPOP TALLOC TFREE");
    for (std::string word; names >> word;) {
        INFO(word);
        bool known = find_instruction(word) != nullptr;
        for (const OtherName& other : other_names()) {
            CHECK((other.name != word || !known));  // not both
            known = known || other.name == word;
        }
        CHECK(known);
    }
}
