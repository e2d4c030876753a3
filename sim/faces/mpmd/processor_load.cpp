#include "sim/faces/mpmd/processor_load.h"

#include "isa/core/input_file.h"
#include "sim/native/code_location.h"

namespace ptosim::mpmd {

Diagnostic load_finding(const char* code_of_finding, unsigned processor, uint64_t size, const std::string& where,
                        const void* code, SourceMap& sources) {
    const CodeLocation location = location_of(code);
    Diagnostic d;
    d.code = code_of_finding;
    d.category = Category::kRace;
    d.message = "processor " + std::to_string(processor) +
                (location.function.empty() ? "" : ", in " + location.function + ",") + " loads " +
                std::to_string(size) + " bytes at " + where;
    if (location.file.empty()) return d;
    std::string text;
    try {
        text = read_text(location.file);
    } catch (const DiagnosticError&) {  // no line can be shown
    }
    const uint16_t file = sources.add(location.file, std::move(text), SourceLanguage::kCpp);
    sources.locate(d, {file, 0, location.line});
    return d;
}

}  // namespace ptosim::mpmd
