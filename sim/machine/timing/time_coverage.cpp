#include "sim/machine/timing/time_coverage.h"

#include <algorithm>
#include <map>

#include "sim/machine/model/parameters.h"
#include "sim/machine/timing/time_samples.h"

namespace ptosim {
namespace {

bool same_basis(const TimeCoverage& a, const TimeCoverage& b) {
    return a.opcode == b.opcode && a.layout == b.layout && a.grade == b.grade &&
           std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                      [](const CostPart& x, const CostPart& y) { return x.row == y.row; });
}

void add(std::vector<TimeCoverage>& list, TimeCoverage coverage) {
    for (TimeCoverage& earlier : list)
        if (same_basis(earlier, coverage)) {
            earlier.types.push_back(coverage.types.front());
            return;
        }
    list.push_back(std::move(coverage));
}

std::string parts_text(const TimeCoverage& coverage) {
    constexpr uint16_t kShown = 100;  // thousandths
    std::string text;
    for (const CostPart& part : coverage.parts)
        if (part.share >= kShown)
            text += (text.empty() ? "" : ", ") + std::to_string((part.share + 5) / 10) + " % `" +
                    parameter_rows()[part.row - size_t{1}].path + "`";
    return text;
}

void add_once(std::vector<std::string>& list, std::string word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(std::move(word));
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

// All cases of an instruction with one grade.
struct PageRow {
    Opcode opcode{};
    TimeGrade grade{};
    std::vector<std::string> types, layouts;
    std::string parts;  // of the first case
};

std::vector<PageRow> page_rows(const std::vector<TimeCoverage>& all) {
    std::vector<PageRow> rows;
    for (const TimeCoverage& coverage : all) {
        auto row = std::find_if(rows.begin(), rows.end(), [&](const PageRow& r) {
            return r.opcode == coverage.opcode && r.grade == coverage.grade;
        });
        if (row == rows.end())
            row = rows.insert(rows.end(),
                              {coverage.opcode, coverage.grade, {}, {}, parts_text(coverage)});
        for (const DType type : coverage.types) add_once(row->types, std::string(name(type)));
        add_once(row->layouts, coverage.layout);
    }
    return rows;
}

}  // namespace

std::vector<TimeCoverage> time_coverage(const ChipModel& chip) {
    CostGrades costs(chip);
    std::vector<TimeCoverage> result;
    for (const InstructionInfo& row : instruction_table()) {
        std::vector<TimeCoverage> of_row;
        for (unsigned t = 0; t < static_cast<unsigned>(DType::kCount); ++t) {
            const auto type = static_cast<DType>(t);
            if (!row.types[static_cast<size_t>(chip.arch)].contains(type)) continue;
            for (const auto& [layout, instruction] : time_samples(row, type, chip.arch)) {
                std::vector<CostPart> parts = costs.parts(instruction);
                if (parts.empty()) continue;
                const TimeGrade grade = weakest(sum_of(parts));
                add(of_row, {row.opcode, {type}, layout, std::move(parts), grade});
            }
        }
        result.insert(result.end(), of_row.begin(), of_row.end());
    }
    return result;
}

std::string time_coverage_page(const ChipModel& chip) {
    const std::vector<TimeCoverage> all = time_coverage(chip);
    std::map<TimeGrade, size_t> counts;
    size_t cases = 0;
    for (const TimeCoverage& coverage : all) {
        counts[coverage.grade] += coverage.types.size();
        cases += coverage.types.size();
    }
    std::string page =
        "## " + chip.name + "\n\n" + std::to_string(cases) +
        " cases (an instruction with a type and a layout):\n\n| grade | cases | % |\n"
        "|---|--:|--:|\n";
    for (const TimeGrade grade : kBestFirst)
        if (const size_t count = counts[grade]; count > 0)
            page += "| " + std::string(name(grade)) + " | " + std::to_string(count) + " | " +
                    std::to_string((100 * count + cases / 2) / cases) + " |\n";
    page +=
        "\n| instruction | grade | types | layouts | most of it rests on "
        "|\n|---|---|---|---|---|\n";
    for (const PageRow& row : page_rows(all))
        page += "| " + std::string(info(row.opcode).name) + " | " + std::string(name(row.grade)) +
                " | " + joined(row.types) + " | " + joined(row.layouts) + " | " + row.parts +
                " |\n";
    return page;
}

std::string time_coverage_text(const ChipModel& chip, Opcode opcode) {
    std::string text = chip.name + "\n";
    bool any = false;
    for (const PageRow& row : page_rows(time_coverage(chip))) {
        if (row.opcode != opcode) continue;
        any = true;
        text += "  " + std::string(name(row.grade)) + ": " + joined(row.types) + "; " +
                joined(row.layouts) + "; rests on " + row.parts + "\n";
    }
    return any ? text : text + "  not an instruction of this chip that takes time\n";
}

std::string time_coverage_document() {
    std::string text =
        "# Coverage of time\n\n"
        "Made by `ptosim isa --coverage`; do not edit. `--json` has every case by itself.\n\n"
        "How well it is known how long each instruction takes, for each element type and layout. "
        "The\n"
        "grade (docs/models.md) is the weakest among the chip's figures that make "
        "a\n"
        "tenth of the cost; which they are is found by changing each figure that the cost reads. "
        "What a\n"
        "chip file leaves out (\"as all others\") is assumed.\n";
    for (const char* chip : kCoverageChips) text += "\n" + time_coverage_page(load_chip(chip, {}));
    return text;
}

}  // namespace ptosim
