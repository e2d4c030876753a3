// Locations: loc("file.py":12:3) after operations, and their aliases.
#include <algorithm>

#include "isa/assembly/syntax/parser_state.h"

namespace ptosim::assembly {

// Aliases of locations are used before they are defined.
void Parser::find_location_aliases() {
    for (size_t i = 0; i + 3 < tokens_.size(); ++i) {
        if (tokens_[i].kind == TokenKind::kAttribute && tokens_[i].starts_line &&
            tokens_[i + 1].kind == TokenKind::kEqual && tokens_[i + 2].kind == TokenKind::kWord &&
            text(tokens_[i + 2]) == "loc")
            location_aliases_[text(tokens_[i])] = i + 4;
    }
}

void Parser::location_body(PythonLocation& location, int depth) {
    size_t open = 0;
    if (depth > 16) fail("locations refer to each other in a circle");
    for (;; take()) {
        switch (now().kind) {
            case TokenKind::kEnd:
                fail_expected("')' after a location");
            case TokenKind::kInvalid:
                fail_expected("a location");
            case TokenKind::kLeftParen:
                ++open;
                break;
            case TokenKind::kRightParen:
                if (open == 0) return;
                --open;
                break;
            case TokenKind::kString:
                if (location.line == 0 && ahead(1).kind == TokenKind::kColon &&
                    ahead(2).kind == TokenKind::kInteger) {
                    location.file = unescape(text(now()));
                    take();
                    take();
                    location.line = static_cast<uint32_t>(number().integer);
                    if (is(TokenKind::kColon) && ahead(1).kind == TokenKind::kInteger) {
                        take();
                        location.column = static_cast<uint32_t>(number().integer);
                    }
                    --at_;  // the loop goes on after it
                }
                break;
            case TokenKind::kAttribute:
                if (location.line == 0) {
                    const auto alias = location_aliases_.find(text(now()));
                    if (alias == location_aliases_.end()) break;
                    const size_t mark = at_;
                    at_ = alias->second;
                    location_body(location, depth + 1);
                    at_ = mark;
                }
                break;
            default:
                break;
        }
    }
}

SourceLocation Parser::to_source(const PythonLocation& location) {
    auto entry = files_.find(location.file);
    if (entry == files_.end()) {
        if (module_.files.size() > 65000) return {};
        entry = files_.emplace(location.file, static_cast<uint16_t>(module_.files.size())).first;
        module_.files.emplace_back(location.file);
    }
    SourceLocation source;
    source.file = entry->second;
    source.line = location.line;
    source.column = static_cast<uint16_t>(std::min(location.column, 65535u));
    return source;
}

// loc("file.py":12:3), loc(#loc4), loc(fused[...]), ... after an operation.
void Parser::location_suffix(Operation& op) {
    if (!is_word("loc") || ahead(1).kind != TokenKind::kLeftParen) return;
    take();
    take();
    PythonLocation location;
    location_body(location, 0);
    expect(TokenKind::kRightParen, "')' after a location");
    if (location.line == 0) return;
    const SourceLocation source = to_source(location);
    if (source.line != 0) op.source = source;
}

}  // namespace ptosim::assembly
