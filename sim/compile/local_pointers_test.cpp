// Expected texts follow from the definition of the pass; lines of both are the same.
#include "sim/compile/local_pointers.h"

#include <catch2/catch.hpp>
#include <string>

namespace ptosim {
namespace {

// The body of a function with pointers p and q to UB, after the pass.
std::string body(const std::string& text) {
    const std::string head = "void f(__ptosim_ubuf__ int* p) { auto q = reinterpret_cast<__ptosim_ubuf__ T*>(a);";
    const std::string made = with_local_accesses(head + text + "}");
    const std::string expected = "void f( int* p) { auto q = reinterpret_cast< T*>(a);";
    REQUIRE(made.substr(0, expected.size()) == expected);
    return made.substr(expected.size(), made.size() - expected.size() - 1);
}
std::string read(const std::string& pointer) { return "::pto::ptosim_detail::read_pointer(" + pointer + ")"; }
std::string written(const std::string& pointer) { return "::pto::ptosim_detail::written_pointer(" + pointer + ")"; }

TEST_CASE("reads of UB by a pointer") {
    CHECK(body("x = p[i];") == "x = " + read("&p[i]") + ";");
    CHECK(body("x = *p;") == "x = " + read("p") + ";");
    CHECK(body("x = *(q + i);") == "x = " + read("(q + i)") + ";");
    CHECK(body("x = p[q[1]] == 2;") == "x = " + read("&p[" + read("&q[1]") + "]") + " == 2;");
    CHECK(body("x = *((__ptosim_ubuf__ int*)a + 1);") == "x = " + read("(( int*)a + 1)") + ";");
    CHECK(body("x = *reinterpret_cast<__ptosim_ubuf__ int*>(a);") == "x = " + read("reinterpret_cast< int*>(a)") + ";");
}

TEST_CASE("writes of UB by a pointer") {
    CHECK(body("p[i] = 1;") == written("&p[i]") + " = 1;");
    CHECK(body("*p++ = *q++;") == written("p++") + " = " + read("q++") + ";");
    CHECK(body("p[i] += q[j];") == written("&p[i]") + " += " + read("&q[j]") + ";");
    CHECK(body("(*p) = 0; ((*q))++;") == "(" + written("p") + ") = 0; ((" + written("q") + "))++;");
    CHECK(body("++p[i]; p[i]--; p[i] <<= 1;") ==
          "++" + written("&p[i]") + "; " + written("&p[i]") + "--; " + written("&p[i]") + " <<= 1;");
}

TEST_CASE("aliases of the type, and copies") {
    for (const char* const alias : {"using P = __ptosim_ubuf__ int*;", "typedef __ptosim_ubuf__ int* P;"}) {
        const std::string made = with_local_accesses(std::string(alias) + "void f(P r) { x = r[0]; *r = *(P)a; }");
        CHECK(made.substr(made.find("void")) ==
              "void f(P r) { x = " + read("&r[0]") + "; " + written("r") + " = " + read("(P)a") + "; }");
    }
    CHECK(with_local_accesses("template <class T> using P = __ptosim_ubuf__ T*; P<int> r; int x = r[0];") ==
          "template <class T> using P =  T*; P<int> r; int x = " + read("&r[0]") + ";");
    CHECK(body("auto r = p + 1; x = r[0];") == "auto r = p + 1; x = " + read("&r[0]") + ";");
    CHECK(body("auto v = p[1]; x = v;") == "auto v = " + read("&p[1]") + "; x = v;");
}

TEST_CASE("addresses of tiles") {
    CHECK(body("x = t.data()[i];") == "x = " + read("&t.data()[i]") + ";");
    CHECK(body("x = t[0].data()[i] + 1;") == "x = " + read("&t[0].data()[i]") + " + 1;");
    CHECK(body("t.data()[0] = *t.data();") == written("&t.data()[0]") + " = " + read("t.data()") + ";");
    CHECK(body("x = a && t.data()[i];") == "x = a && " + read("&t.data()[i]") + ";");
    CHECK(body("x = *(t.data() + i);") == "x = " + read("(t.data() + i)") + ";");
    CHECK(body("auto r = t.data(); r[1] = 2;") == "auto r = t.data(); " + written("&r[1]") + " = 2;");
    const std::string other = "g(&t.data()[i]); g(t.data()); x = t.data();";
    CHECK(body(other) == other);
    const std::string header = "# 1 \"/usr/include/string\"\nx = t.data()[i];";
    CHECK(with_local_accesses(header) == header);
}

TEST_CASE("arrays of pointers") {
    const std::string array = "__ptosim_ubuf__ int* a[2] = {p, q};", made = " int* a[2] = {p, q};";
    CHECK(body(array + "x = a[0][i]; a[1][i] = *a[0]; y = a[0];") ==
          made + "x = " + read("&a[0][i]") + "; " + written("&a[1][i]") + " = " + read("a[0]") + "; y = a[0];");
    CHECK(body(array + "x = *(a[k] + i); auto r = a[k]; r[0]++;") ==
          made + "x = " + read("(a[k] + i)") + "; auto r = a[k]; " + written("&r[0]") + "++;");
    CHECK(body("using P = __ptosim_ubuf__ int*; P a[] = {(P)1}; x = a[0][i];") ==
          "using P =  int*; P a[] = {(P)1}; x = " + read("&a[0][i]") + ";");
    // The type of the elements is not known before the template is used.
    CHECK(body("} template <int N, typename P> int g(P a[], int b[]) { return a[0][i] + b[0]; }; {") ==
          "} template <int N, typename P> int g(P a[], int b[]) { return " + read("&a[0][i]") + " + b[0]; }; {");
}

TEST_CASE("a logical and is no address") {
    CHECK(body("x = y && p[i];") == "x = y && " + read("&p[i]") + ";");
    CHECK(body("x = y & p[i];") == "x = y & " + read("&p[i]") + ";");
}

TEST_CASE("other text stays") {
    for (const char* const text : {"g(&p[i]);", "x = s.p[i];", "x = y * p;", "z[i] = p + 1;", "T* other = q;"})
        CHECK(body(text) == text);
    CHECK(with_local_accesses("x = p[i];") == "x = p[i];");
    const std::string other = " void g(int* p) { x = p[0]; }";
    CHECK(with_local_accesses("void f(__ptosim_ubuf__ int* p) {}" + other) == "void f( int* p) {}" + other);
    CHECK(with_local_accesses("void f(__ptosim_ubuf__ int* p);" + other) == "void f( int* p);" + other);
}

}  // namespace
}  // namespace ptosim
