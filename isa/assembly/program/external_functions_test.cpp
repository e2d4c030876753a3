// Calls of functions without a body.

#include <catch2/catch.hpp>

#include "isa/assembly/bind/recording_port.h"

using namespace ptosim;
using namespace ptosim::assembly;

TEST_CASE("functions without a body are called with the words of their arguments", "[assembly]") {
    struct Port : RecordingPort {
        std::optional<uint64_t> call_external(std::string_view function,
                                              std::span<const uint64_t> given) override {
            calls.emplace_back(function, std::vector<uint64_t>(given.begin(), given.end()));
            return 0xFFFF'FFFE;  // as an i32: -2
        }
        std::vector<std::pair<std::string, std::vector<uint64_t>>> calls;
    };
    BindOptions options = test_options();
    options.external_functions = true;
    const std::string declared =
        "func.func private @f(!pto.ptr<i64>, i32, f32) -> i32\n"
        "func.func private @g()\n";
    const auto text = [&](const std::string& body) {
        return "module {\nfunc.func @k(%out: !pto.ptr<i64>) {\n%c0 = arith.constant 0 : index\n" +
               body + "\nreturn\n}\n" + declared + "}\n";
    };
    const std::string calls = text(R"(
        %n = arith.constant -3 : i32
        %x = arith.constant 1.5 : f32
        %r = func.call @f(%out, %n, %x) : (!pto.ptr<i64>, i32, f32) -> i32
        func.call @g() : () -> ()
        %wide = arith.extsi %r : i32 to i64
        pto.store_scalar %wide, %out[%c0] : !pto.ptr<i64>, i64)");
    Port port;
    bind_text(calls, options)->run(port, std::vector<uint64_t>{4096});
    REQUIRE(port.calls.size() == 2);
    CHECK(port.calls[0].first == "f");
    REQUIRE(port.calls[0].second.size() == 3);
    CHECK(port.calls[0].second[0] == 4096);
    CHECK(static_cast<int32_t>(port.calls[0].second[1]) == -3);
    CHECK(port.calls[0].second[2] == 0x3FC0'0000);
    CHECK(port.calls[1].second.empty());
    CHECK(static_cast<int64_t>(port.memory.at(4096)) == -2);

    RecordingPort without;
    CHECK(code_of([&] { bind_text(calls, options)->run(without, std::vector<uint64_t>{4096}); }) ==
          "K08");
    const auto code = [&](const std::string& body) {
        return code_of([&] { bind_text(text(body), options); });
    };
    CHECK(code_of([&] { bind_text(calls); }) == "K08");
    CHECK(code("func.call @g(%c0) : (index) -> ()") == "K06");
    CHECK(code("%r = func.call @f(%c0, %c0, %c0) : (index, index, index) -> i32") == "K07");
}
