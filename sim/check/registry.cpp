#include "sim/check/registry.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ptosim::check {

// The linker omits unreferenced objects of a static library, so checkers cannot add themselves to a list when the
// program begins. This list, which CMake generates from the sources in checkers/, refers to each; a source without its
// row does not link.
#define PTOSIM_CHECKER_SOURCE(file) extern const CheckerRow file##_row;
#include "sim/check/checker_sources.def"
#undef PTOSIM_CHECKER_SOURCE

namespace {

using Names = std::set<std::string_view>;

Names names_of(Chosen chosen) {
    Names names;
    for (const CheckerRow* row : checker_rows())
        if (row->chosen == chosen) names.insert(row->name);
    return names;
}

std::string joined(const Names& names) {
    std::string text;
    for (const std::string_view name : names)
        text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

}  // namespace

std::span<const CheckerRow* const> checker_rows() {
    static const auto& rows = *new std::vector<const CheckerRow*>{[] {
        std::vector<const CheckerRow*> all{
#define PTOSIM_CHECKER_SOURCE(file) &file##_row,
#include "sim/check/checker_sources.def"
#undef PTOSIM_CHECKER_SOURCE
        };
        std::sort(all.begin(), all.end(), [](const CheckerRow* a, const CheckerRow* b) {
            return std::pair(a->order, a->name) < std::pair(b->order, b->name);
        });
        return all;
    }()};
    return rows;
}

std::string checker_words() {
    return "all (" + joined(names_of(Chosen::kInAll)) + "), " +
           joined(names_of(Chosen::kByName)) + ", or none";
}

std::string checker_table() {
    std::string text = "| checker | in `all` | finds | codes |\n|---|---|---|---|\n";
    for (const Chosen chosen : {Chosen::kInAll, Chosen::kByName})
        for (const std::string_view name : names_of(chosen)) {
            std::string about;
            Names codes;
            for (const CheckerRow* row : checker_rows()) {
                if (row->name != name) continue;
                about += (about.empty() ? "" : "; ") + std::string(row->about);
                for (size_t at = 0; at < row->codes.size(); at += 4)
                    codes.insert(row->codes.substr(at, 3));
            }
            text += "| `" + std::string(name) + "` | " +
                    (chosen == Chosen::kInAll ? "yes" : "no") + " | " + about + " | " +
                    joined(codes) + " |\n";
        }
    return text;
}

std::string CheckOptions::choose(std::string_view list) {
    const Names in_all = names_of(Chosen::kInAll), by_name = names_of(Chosen::kByName);
    while (!list.empty()) {
        const std::string_view word = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), word.size() + 1));
        if (word == "all") {
            names_.insert(names_.end(), in_all.begin(), in_all.end());
            continue;
        }
        // The row's own text is stored, because `list` may not live as long as the options.
        if (const auto found = in_all.find(word); found != in_all.end())
            names_.push_back(*found);
        else if (const auto other = by_name.find(word); other != by_name.end())
            names_.push_back(*other);
        else if (!word.empty() && word != "none")
            return std::string(word);
    }
    return {};
}

bool CheckOptions::has(std::string_view name) const {
    const auto is = [name](const CheckerRow* row) { return row->name == name; };
    const auto rows = checker_rows();
    if (std::none_of(rows.begin(), rows.end(), is))
        throw std::logic_error("no checker " + std::string(name));
    return std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool CheckOptions::finds(std::string_view code) const {
    bool listed = false;
    for (const CheckerRow* row : checker_rows()) {
        if (row->codes.find(code) == std::string_view::npos) continue;
        if (has(row->name)) return true;
        listed = true;
    }
    return !listed && has("bounds");
}

bool CheckOptions::has(const CheckerRow& row) const {
    return row.chosen == Chosen::kByWasted ? wasted : has(row.name);
}

bool CheckOptions::any() const {
    const auto rows = checker_rows();
    return std::any_of(rows.begin(), rows.end(),
                       [this](const CheckerRow* row) { return row->make != nullptr && has(*row); });
}

bool CheckOptions::follows_pointers() const {
    const auto rows = checker_rows();
    return std::any_of(rows.begin(), rows.end(),
                       [this](const CheckerRow* row) { return row->by_pointers && has(*row); });
}

}  // namespace ptosim::check
