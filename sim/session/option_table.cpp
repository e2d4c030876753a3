#include "sim/session/option_rows.h"

namespace ptosim {
namespace {

// Kind of value, default and limits by the member's type.
struct DescribeValue {
    const OptionRow& row;
    const CommandOptions& defaults;
    Json& entry;

    void operator()(bool CommandOptions::*member) const { describe("flag", defaults.*member); }
    void operator()(std::string CommandOptions::*member) const {
        describe(row.words != nullptr ? "words" : "text", defaults.*member);
        if (row.words != nullptr) entry["words"] = row.words();
    }
    template <class Number>
    requires std::is_unsigned_v<Number>
    void operator()(Number CommandOptions::*member) const {
        describe("number", defaults.*member);
        entry["least"] = least_value(row);
        entry["most"] = row.range.most;
        entry["unit"] = row.unit;
    }
    template <class Element>
    void operator()(std::vector<Element> CommandOptions::*member) const {
        describe("list", defaults.*member);
    }

 private:
    template <class Value>
    void describe(const char* form, const Value& value) const {
        entry["form"] = row.form.empty() ? std::string_view(form) : row.form;
        entry["default"] =
            row.python_default.empty() ? Json(value) : parse_json(row.python_default);
    }
};

}  // namespace

Json option_table() {
    Json table = Json::array();
    for (const OptionRow& row : option_rows()) {
        if (row.python.empty()) continue;
        Json entry{{"name", row.python},         {"group", row.group},
                   {"of_run", row.of_session},   {"allowed", row.allowed},
                   {"otherwise", row.otherwise}, {"help", row.help}};
        std::visit(DescribeValue{row, default_options(), entry}, row.member);
        table.push_back(std::move(entry));
    }
    return table;
}

}  // namespace ptosim
