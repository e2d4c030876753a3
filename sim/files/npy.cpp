#include "sim/files/npy.h"

#include <array>
#include <charconv>

#include "isa/core/diagnostic.h"
#include "isa/core/input_file.h"
#include "sim/files/files.h"

namespace ptosim {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Code {
    std::string_view text;
    DType dtype;
};
constexpr std::array<Code, 12> kCodes{{{"<f4", DType::kF32},
                                       {"<f2", DType::kF16},
                                       {"|i1", DType::kI8},
                                       {"|u1", DType::kU8},
                                       {"<i2", DType::kI16},
                                       {"<u2", DType::kU16},
                                       {"<i4", DType::kI32},
                                       {"<u4", DType::kU32},
                                       {"<i8", DType::kI64},
                                       {"<u8", DType::kU64},
                                       {"|b1", DType::kU8},
                                       {"<V2", DType::kU16}}};

[[noreturn]] void fail(const std::string& path, const std::string& what,
                       const std::string& hint = {}) {
    fail_input("I10", path + ": " + what, hint);
}

// The value of 'key' in the header's dictionary, up to the end of its token.
std::string_view header_value(std::string_view header, std::string_view key) {
    const size_t at = header.find("'" + std::string(key) + "'");
    if (at == std::string_view::npos) return {};
    size_t begin = header.find(':', at);
    if (begin == std::string_view::npos) return {};
    begin = header.find_first_not_of(' ', begin + 1);
    if (begin == std::string_view::npos) return {};
    if (header[begin] == '\'') {
        const size_t end = header.find('\'', begin + 1);
        return end == std::string_view::npos ? std::string_view{}
                                             : header.substr(begin + 1, end - begin - 1);
    }
    if (header[begin] == '(') {
        const size_t end = header.find(')', begin);
        return end == std::string_view::npos ? std::string_view{}
                                             : header.substr(begin + 1, end - begin - 1);
    }
    return header.substr(begin, header.find_first_of(",}", begin) - begin);
}

std::vector<int64_t> parse_shape(const std::string& path, std::string_view text) {
    std::vector<int64_t> shape;
    while (true) {
        const size_t start = text.find_first_not_of(" ,");
        if (start == std::string_view::npos) return shape;
        text.remove_prefix(start);
        int64_t extent = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
        if (error != std::errc{} || extent < 0) fail(path, "its header has a bad shape");
        shape.push_back(extent);
        text.remove_prefix(static_cast<size_t>(end - text.data()));
    }
}

DType stored_type(DType type) {
    for (const Code& code : kCodes)
        if (code.dtype == type) return type;
    switch (bits(type)) {
        case 16:
            return DType::kU16;
        case 32:
            return DType::kU32;
        default:
            return DType::kU8;
    }
}

// Reads the dictionary of the header; the data follows it in the file.
std::string read_header(const std::string& path, InputFile& file) {
    std::string begin(10, '\0');
    begin.resize(file.read(begin.data(), begin.size()));
    if (begin.size() < 10 || !begin.starts_with(kMagic))
        fail(path, "is not a .npy file", "save it with numpy.save");
    const auto byte = [&](size_t i) {
        return static_cast<size_t>(static_cast<unsigned char>(begin[i]));
    };
    const size_t major = byte(6);
    size_t length = byte(8) | byte(9) << 8;
    if (major == 2 || major == 3) {
        begin.resize(12);
        if (file.read(begin.data() + 10, 2) != 2) fail(path, "is truncated");
        length |= byte(10) << 16 | byte(11) << 24;
    } else if (major != 1) {
        fail(path, "has .npy format version " + std::to_string(major) + ", which is not supported");
    }
    constexpr size_t kMostHeader = 1 << 20;
    if (length > kMostHeader) fail(path, "has an impossible header");
    std::string header(length, '\0');
    if (file.read(header.data(), length) != length) fail(path, "is truncated in its header");
    return header;
}

}  // namespace

int64_t Array::elements() const {
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    return count;
}

std::string shape_text(const std::vector<int64_t>& shape) {
    if (shape.empty()) return "scalar";
    std::string text;
    for (int64_t extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
}

Array read_npy(const std::string& path) {
    InputFile file(path);
    const std::string header = read_header(path, file);

    Array array;
    const std::string_view type = header_value(header, "descr");
    bool supported = false;
    for (const Code& code : kCodes)
        if (code.text == type) {
            array.dtype = code.dtype;
            supported = true;
        }
    if (!supported)
        fail(path, "has element type '" + std::string(type) + "', which is not supported",
             "use float32, float16, an integer type, or uint16/uint8 for bit patterns of bf16/fp8");
    if (header_value(header, "fortran_order").substr(0, 4) == "True")
        fail(path, "is in Fortran order", "save numpy.ascontiguousarray(x)");
    array.shape = parse_shape(path, header_value(header, "shape"));
    uint64_t count = 1;
    for (int64_t extent : array.shape) {
        if (extent != 0 && count > (uint64_t{1} << 40) / static_cast<uint64_t>(extent))
            fail(path, "has an impossible shape " + shape_text(array.shape));
        count *= static_cast<uint64_t>(extent);
    }
    const size_t need = bytes(array.dtype, count);
    const size_t have = file.size() - file.position();
    if (have != need)
        fail(path, std::string(have < need ? "is truncated" : "has too much data") + ": shape " +
                       shape_text(array.shape) + " needs " + std::to_string(need) +
                       " bytes of data, it has " + std::to_string(have));
    array.data.resize(need);
    if (file.read(array.data.data(), need) != need) fail(path, "is truncated");
    return array;
}

void write_npy(const std::string& path, const Array& array) {
    const DType stored = stored_type(array.dtype);
    std::string_view code;
    for (const Code& row : kCodes)
        if (row.dtype == stored && code.empty()) code = row.text;
    std::string shape;
    for (int64_t extent : array.shape) shape += std::to_string(extent) + ", ";
    if (array.shape.size() > 1) shape.resize(shape.size() - 2);
    if (array.shape.size() == 1) shape.pop_back();
    std::string header = "{'descr': '" + std::string(code) +
                         "', 'fortran_order': False, 'shape': (" + shape + "), }";
    // The header ends with a newline and the data starts at a multiple of 64.
    const size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
    header.append(total - 10 - header.size() - 1, ' ');
    header += '\n';
    std::string file(kMagic);
    file += '\x01';
    file += '\0';
    file += static_cast<char>(header.size() & 0xff);
    file += static_cast<char>(header.size() >> 8);
    file += header;
    file.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
    write_file(path, file);
}

bool npy_holds(DType file, DType type) { return file == type || file == stored_type(type); }

}  // namespace ptosim
