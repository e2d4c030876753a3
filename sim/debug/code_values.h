// Frames and variables of a compiled kernel at the present moment of its run, through gdb.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/debug/gdb.h"
#include "sim/debug/timeline.h"

namespace ptosim::debug {

class CodeValues {
 public:
    // `libraries`: a file with the symbols of the code on each type of core ("AIC", "AIV"), or on a core ("AIV01"), while
    // this process lives.
    CodeValues(Timeline& timeline, std::map<std::string, std::string> libraries)
        : timeline_{timeline}, libraries_{std::move(libraries)} {}

    // The frames of a core's kernel from the innermost one: "level", "function", "file", "line". Throws DiagnosticError
    // (I69), also if its code is not running.
    Json frames(const std::string& core);
    // "name", "type", "value" of each variable of a frame, which is counted from the innermost one.
    Json variables(const std::string& core, size_t frame);
    // The same of the members of a structure, or of the elements of an array, at most 256; also "expression" of each.
    Json members(const std::string& core, size_t frame, const std::string& expression);
    // True if the expression has a type in such a frame.
    bool knows(const std::string& core, size_t frame, const std::string& expression);
    // The value of an expression of C++ in such a frame, as text.
    std::string value(const std::string& core, size_t frame, const std::string& expression);
    // A variable that is a tile (pto::Tile) or a tensor of a core's memory (AscendC::LocalTensor), by the fields of
    // ptosim_tile, and the "expression" that names it at the begin of the text: "t" of "t[0:4, 8:16]". Null for others.
    Json tile(const std::string& core, size_t frame, const std::string& text);

 private:
    void show(const std::string& core);
    std::string place(const std::string& core, size_t frame);
    void add_members(const std::string& variable, Json& list);
    std::string type(const std::string& core, size_t frame, const std::string& expression);

    Timeline& timeline_;
    std::map<std::string, std::string> libraries_;
    Gdb gdb_;
    std::string shown_;  // core and moment
    Json frames_;
};

}  // namespace ptosim::debug
