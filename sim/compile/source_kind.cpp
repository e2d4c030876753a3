#include "sim/compile/source_kind.h"

#include <set>
#include <string_view>
#include <vector>

#include "sim/compile/tokens.h"

namespace ptosim {

using Cores = BuildOptions::Cores;

SourceKind classify(const std::string& text, BuildOptions::Cores cores) {
    static const std::set<std::string_view> kernel_words = {"__global__", "AICORE", "__aicore__",
                                                            "aicore"};
    static const std::set<std::string_view> vector_guards = {"__DAV_VEC__", "__DAV_C220_VEC__",
                                                             "__DAV_C310_VEC__", "DAV_VEC"};
    static const std::set<std::string_view> other_guards = {
        "__DAV_CUBE__", "__DAV_C220_CUBE__", "__DAV_C310_CUBE__", "DAV_CUBE", "__CCE_AICORE__"};
    static const std::set<std::string_view> cube = {"TileAcc", "TileLeft", "TileRight",    "Acc",
                                                    "Left",    "Right",    "ptosim_on_aic"};
    static const std::set<std::string_view> vector = {"Vec", "get_subblockid", "ptosim_on_aiv"};
    SourceKind kind;
    bool guarded = false, cubes = false, vectors = false, l1 = false;
    bool other = false;  // a guard for the cube core's part, or for any core
    bool subblocks = false;
    const std::vector<Token> tokens = tokenize(text);
    for (size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        const std::string_view word =
            std::string_view(text).substr(token.begin, token.end - token.begin);
        if (token.kind == Token::Kind::kSign && word == "<" && i + 2 < tokens.size() &&
            std::string_view(text).substr(token.begin, 3) == "<<<")
            kind.has_kernels = true;
        if (token.kind == Token::Kind::kDirective) {
            for (const std::string_view guard : vector_guards)
                guarded = guarded || word.find(guard) != word.npos;
            for (const std::string_view guard : other_guards)
                other = other || word.find(guard) != word.npos;
            kind.has_kernels = kind.has_kernels || word.find("<pto/pto-inst.hpp>") != word.npos ||
                               word.find("\"pto/pto-inst.hpp\"") != word.npos;
        }
        if (token.kind != Token::Kind::kWord) continue;
        kind.has_kernels = kind.has_kernels || kernel_words.contains(word);
        guarded = guarded || vector_guards.contains(word);
        other = other || other_guards.contains(word);
        cubes = cubes || cube.contains(word) || word.starts_with("TMATMUL") ||
                word.starts_with("TGEMV");
        vectors = vectors || vector.contains(word);
        l1 = l1 || word == "Mat";
        subblocks = subblocks || word == "get_subblockid" || word == "get_subblockdim";
    }
    guarded = guarded || other;
    const bool both = guarded || (cubes && vectors);
    kind.aic = cores == Cores::kAIC || cores == Cores::kBoth ||
               (cores == Cores::kGuess && (both || cubes || (l1 && !vectors)));
    kind.aiv = cores == Cores::kAIV || cores == Cores::kBoth ||
               (cores == Cores::kGuess && (both || !kind.aic));
    kind.idle_aic = !guarded && vectors && !cubes;
    kind.idle_aiv = !guarded && cubes && !vectors;
    kind.vector_only = vectors && !cubes && !l1 && !other && !subblocks;
    return kind;
}

}  // namespace ptosim
