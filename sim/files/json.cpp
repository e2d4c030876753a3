#include "sim/files/json.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ptosim {
namespace {

using Library = nlohmann::json;

std::string code(const char* kind, int number) {
    return std::string("[json.exception.") + kind + "." + std::to_string(number) + "] ";
}

bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void put_text(std::string& out, const std::string& text) {
    if (std::all_of(text.begin(), text.end(), is_plain))
        out.append(1, '"').append(text).append(1, '"');
    else
        out += Library(text).dump(-1, ' ', false, Library::error_handler_t::replace);
}

// As the library's dump().
class Printer {
 public:
    explicit Printer(int indent) : indent_{indent} {}

    std::string print(const Json& json) {
        put(json, 0);
        return std::move(out_);
    }

 private:
    void put(const Json& json, int depth) {
        switch (json.kind()) {
            case Json::Kind::kNull:
                out_ += "null";
                break;
            case Json::Kind::kDiscarded:
                out_ += "<discarded>";
                break;
            case Json::Kind::kBoolean:
                out_ += json.get<bool>() ? "true" : "false";
                break;
            case Json::Kind::kInteger:
                out_ += std::to_string(json.get<int64_t>());
                break;
            case Json::Kind::kUnsigned:
                out_ += std::to_string(json.get<uint64_t>());
                break;
            case Json::Kind::kReal:
                out_ += Library(json.get<double>()).dump();
                break;
            case Json::Kind::kText:
                put_text(out_, json.text());
                break;
            case Json::Kind::kArray:
                put_all(json.elements(), '[', ']', depth,
                        [&](const Json& element) { put(element, depth + 1); });
                break;
            case Json::Kind::kObject:
                put_all(json.members(), '{', '}', depth, [&](const JsonMember& member) {
                    put_text(out_, member.name);
                    out_ += indent_ < 0 ? ":" : ": ";
                    put(member.content, depth + 1);
                });
                break;
        }
    }
    template <class Items, class Put>
    void put_all(const Items& items, char open, char close, int depth, Put&& put_one) {
        out_ += open;
        bool first = true;
        for (const auto& item : items) {
            if (!std::exchange(first, false)) out_ += ',';
            new_line(depth + 1);
            put_one(item);
        }
        if (!first) new_line(depth);
        out_ += close;
    }
    void new_line(int depth) {
        if (indent_ >= 0)
            out_.append(1, '\n').append(static_cast<size_t>(depth) * static_cast<size_t>(indent_),
                                        ' ');
    }

    const int indent_;
    std::string out_;
};

// Receives the events of the library's parser and builds a value.
class Builder : public nlohmann::json_sax<Library> {
 public:
    explicit Builder(bool sorts) : sorts_{sorts} {}

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(int64_t value) override { return put(value); }
    bool number_unsigned(uint64_t value) override { return put(value); }
    bool number_float(double value, const std::string&) override { return put(value); }
    bool string(std::string& text) override { return put(std::move(text)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(size_t) override { return begin(Json::object()); }
    bool start_array(size_t) override { return begin(Json::array()); }
    bool key(std::string& name) override {
        open_.back().name = std::move(name);
        return true;
    }
    bool end_object() override { return end(); }
    bool end_array() override { return end(); }
    bool parse_error(size_t, const std::string&,
                     const nlohmann::detail::exception& error) override {
        problem_ = error.what();
        return false;
    }

    Json take() { return std::move(root_); }
    const std::string& problem() const { return problem_; }

 private:
    struct Open {
        Json value;
        std::string name;  // of the member that follows
    };

    bool put(Json value) {
        if (open_.empty())
            root_ = std::move(value);
        else if (Open& open = open_.back(); open.value.is_array())
            open.value.push_back(std::move(value));
        else
            open.value[open.name] = std::move(value);
        return true;
    }
    bool begin(Json value) {
        open_.push_back({std::move(value), {}});
        return true;
    }
    bool end() {
        Json value = std::move(open_.back().value);
        open_.pop_back();
        if (sorts_ && value.is_object()) value = sorted(std::move(value));
        return put(std::move(value));
    }
    static Json sorted(Json object) {
        std::vector<JsonMember> members = object.members();
        std::sort(members.begin(), members.end(),
                  [](const JsonMember& a, const JsonMember& b) { return a.name < b.name; });
        Json result = Json::object();
        for (JsonMember& member : members) result[member.name] = std::move(member.content);
        return result;
    }

    const bool sorts_;
    Json root_;
    std::vector<Open> open_;
    std::string problem_;
};

template <class Input>
Json parse(Input&& input, JsonReading reading) {
    Builder builder(reading.sorts);
    if (Library::sax_parse(std::forward<Input>(input), &builder, Library::input_format_t::json,
                           true, reading.ignores_comments))
        return builder.take();
    if (reading.discards) return Json::discarded();
    throw Json::Error(builder.problem());
}

}  // namespace

Json::Json(Kind kind) : kind_{kind} {
    if (kind == Kind::kText) value_.text = new std::string;
    if (kind == Kind::kArray) value_.array = new std::vector<Json>;
    if (kind == Kind::kObject) value_.object = new std::vector<JsonMember>;
}
Json::Json(std::string text) : kind_{Kind::kText} {
    value_.text = new std::string(std::move(text));
}
Json::Json(std::string_view text) : Json(std::string(text)) {}
Json::Json(const char* text) : Json(std::string(text)) {}

Json::Json(std::initializer_list<json_traits::Item> items) {
    const bool is_object = std::all_of(items.begin(), items.end(), [](const json_traits::Item& item) {
        return item.value.is_array() && item.value.size() == 2 && item.value[0].is_string();
    });
    *this = is_object ? object() : array();
    for (const json_traits::Item& item : items) {
        if (is_object)
            add(std::move(*item.value.value_.array->front().value_.text),
                std::move(item.value.value_.array->back()));
        else
            push_back(std::move(item.value));
    }
}

Json Json::array(std::initializer_list<json_traits::Item> items) {
    Json result = array();
    for (const json_traits::Item& item : items) result.push_back(std::move(item.value));
    return result;
}

Json::Json(const Json& other) : kind_{other.kind_}, value_{other.value_} {
    if (kind_ == Kind::kText) value_.text = new std::string(*other.value_.text);
    if (kind_ == Kind::kArray) value_.array = new std::vector<Json>(*other.value_.array);
    if (kind_ == Kind::kObject) value_.object = new std::vector<JsonMember>(*other.value_.object);
}

// Without recursion, because a text may have any depth.
void Json::destroy() {
    std::vector<Json> left;
    const auto take = [&](Json& json) {
        if (json.kind_ == Kind::kArray)
            std::move(json.value_.array->begin(), json.value_.array->end(),
                      std::back_inserter(left));
        if (json.kind_ == Kind::kObject)
            for (JsonMember& member : *json.value_.object)
                left.push_back(std::move(member.content));
    };
    const auto release = [](Json& json) {
        if (json.kind_ == Kind::kText) delete json.value_.text;
        if (json.kind_ == Kind::kArray) delete json.value_.array;
        if (json.kind_ == Kind::kObject) delete json.value_.object;
        json.kind_ = Kind::kNull;
    };
    take(*this);
    release(*this);
    while (!left.empty()) {
        Json next = std::move(left.back());
        left.pop_back();
        take(next);
        release(next);
    }
}

const char* Json::type_name() const {
    switch (kind_) {
        case Kind::kNull:
            return "null";
        case Kind::kBoolean:
            return "boolean";
        case Kind::kText:
            return "string";
        case Kind::kArray:
            return "array";
        case Kind::kObject:
            return "object";
        case Kind::kDiscarded:
            return "discarded";
        default:
            return "number";
    }
}

void Json::fail_kind(const char* expected) const {
    throw Error(code("type_error", 302) + "type must be " + expected + ", but is " + type_name());
}

size_t Json::size() const {
    if (kind_ == Kind::kArray) return value_.array->size();
    if (kind_ == Kind::kObject) return value_.object->size();
    return is_null() ? 0 : 1;
}

const std::string& Json::text() const {
    if (!is_string()) fail_kind("string");
    return *value_.text;
}

const std::vector<Json>& Json::elements() const {
    if (!is_array()) fail_kind("array");
    return *value_.array;
}

const std::vector<JsonMember>& Json::members() const {
    if (!is_object()) fail_kind("object");
    return *value_.object;
}

const std::vector<JsonMember>& Json::items() const {
    static const auto& none = *new std::vector<JsonMember>;
    return is_object() ? *value_.object : none;
}

const Json& Json::at(std::string_view name) const {
    if (!is_object()) throw Error(code("type_error", 304) + "cannot use at() with " + type_name());
    if (const Json* const found = member(name)) return *found;
    throw Error(code("out_of_range", 403) + "key '" + std::string(name) + "' not found");
}

const Json& Json::element(size_t index) const {
    if (!is_array()) throw Error(code("type_error", 304) + "cannot use at() with " + type_name());
    if (index < value_.array->size()) return (*value_.array)[index];
    throw Error(code("out_of_range", 401) + "array index " + std::to_string(index) +
                " is out of range");
}

const Json* Json::member(std::string_view name) const {
    for (const JsonMember& member : items())
        if (member.name == name) return &member.content;
    return nullptr;
}

const Json* Json::member_of_object(std::string_view name) const {
    if (!is_object())
        throw Error(code("type_error", 306) + "cannot use value() with " + type_name());
    return member(name);
}

Json& Json::operator[](std::string_view name) {
    if (is_null()) *this = object();
    if (!is_object())
        throw Error(code("type_error", 305) + "cannot use operator[] with a string argument with " +
                    type_name());
    if (const Json* const found = member(name)) return const_cast<Json&>(*found);
    return value_.object->emplace_back(JsonMember{std::string(name), {}}).content;
}

void Json::add(std::string name, Json value) {
    if (member(name) == nullptr) value_.object->push_back({std::move(name), std::move(value)});
}

Json::const_iterator Json::find(std::string_view name) const {
    for (const JsonMember& member : items())
        if (member.name == name) return const_iterator(&member);
    return end();
}

Json::iterator Json::begin() {
    if (is_object()) return iterator(value_.object->data());
    return is_array() ? iterator(value_.array->data()) : iterator(this);
}
Json::iterator Json::end() {
    if (is_object()) return iterator(value_.object->data() + size());
    return is_array() ? iterator(value_.array->data() + size()) : iterator(this + size());
}
Json::const_iterator Json::begin() const {
    if (is_object()) return const_iterator(std::as_const(*value_.object).data());
    return is_array() ? const_iterator(std::as_const(*value_.array).data()) : const_iterator(this);
}
Json::const_iterator Json::end() const {
    if (is_object()) return const_iterator(std::as_const(*value_.object).data() + size());
    return is_array() ? const_iterator(std::as_const(*value_.array).data() + size())
                      : const_iterator(this + size());
}

void Json::push_back(Json element) {
    if (is_null()) *this = array();
    if (!is_array())
        throw Error(code("type_error", 308) + "cannot use push_back() with " + type_name());
    value_.array->push_back(std::move(element));
}

size_t Json::erase(std::string_view name) {
    if (!is_object())
        throw Error(code("type_error", 307) + "cannot use erase() with " + type_name());
    return std::erase_if(*value_.object,
                         [&](const JsonMember& member) { return member.name == name; });
}

void Json::update(const Json& object) {
    for (const JsonMember& member : object.members()) (*this)[member.name] = member.content;
}

int64_t Json::to_integer() const {
    if (kind_ == Kind::kInteger) return value_.integer;
    if (kind_ == Kind::kUnsigned) return static_cast<int64_t>(value_.number);
    if (kind_ == Kind::kReal) return static_cast<int64_t>(value_.real);
    fail_kind("number");
}

uint64_t Json::to_unsigned() const {
    if (kind_ == Kind::kReal) return static_cast<uint64_t>(value_.real);
    return kind_ == Kind::kUnsigned ? value_.number : static_cast<uint64_t>(to_integer());
}

double Json::to_real() const {
    if (kind_ == Kind::kReal) return value_.real;
    if (kind_ == Kind::kUnsigned) return static_cast<double>(value_.number);
    if (kind_ == Kind::kInteger) return static_cast<double>(value_.integer);
    fail_kind("number");
}

bool Json::to_boolean() const {
    if (kind_ != Kind::kBoolean) fail_kind("boolean");
    return value_.boolean;
}

bool operator==(const Json& a, const Json& b) {
    if (a.is_number() && b.is_number()) {
        if (a.is_number_float() || b.is_number_float()) return a.to_real() == b.to_real();
        return a.to_integer() == b.to_integer();
    }
    if (a.kind_ != b.kind_) return false;
    switch (a.kind_) {
        case Json::Kind::kBoolean:
            return a.value_.boolean == b.value_.boolean;
        case Json::Kind::kText:
            return *a.value_.text == *b.value_.text;
        case Json::Kind::kArray:
            return *a.value_.array == *b.value_.array;
        case Json::Kind::kObject:
            return std::equal(a.items().begin(), a.items().end(), b.items().begin(),
                              b.items().end(), [](const JsonMember& x, const JsonMember& y) {
                                  return x.name == y.name && x.content == y.content;
                              });
        default:
            return a.is_null();
    }
}

std::string dump_json(const Json& json, int indent) { return Printer(indent).print(json); }

Json parse_json(std::string_view text, JsonReading reading) { return parse(text, reading); }
Json parse_json(std::istream& text, JsonReading reading) { return parse(text, reading); }

}  // namespace ptosim
