// JSON values and their texts, for all input and output of the program. Objects keep the order of
// their members. The interface is the part of nlohmann::ordered_json that the program uses; that
// library, which takes seconds to compile, is confined to json.cpp and sim/machine/model.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptosim {

class Json;
struct JsonMember;

namespace json_traits {

struct Item;

// clang-format off
template <class T>
concept Text = std::same_as<T, std::string>;
template <class T>
concept Number = (std::integral<T> || std::floating_point<T>) && !std::same_as<T, bool> && !std::same_as<T, char>;
template <class T>
concept List = requires(const T& list) { typename T::value_type; typename T::allocator_type; list.begin(); } && !Text<T>;
template <class T>
concept Map = List<T> && requires { typename T::mapped_type; };
template <class T>
concept MapOfNames = Map<T> && std::constructible_from<std::string, const typename T::key_type&>;
template <class T>
concept Pair = requires(const T& pair) { pair.first; pair.second; };
// Other types than those of Json's plain constructors.
template <class T>
concept Source = Number<T> || std::same_as<T, bool> || std::same_as<T, char> || std::is_enum_v<T> || List<T> || Pair<T>;
template <class T>
concept Target = Number<T> || std::same_as<T, bool> || Text<T> || List<T> || Pair<T>;
template <class T>
concept Index = std::integral<T> || std::is_enum_v<T>;
// clang-format on

}  // namespace json_traits

class Json {
 public:
    enum class Kind : uint8_t {
        kNull,
        kBoolean,
        kInteger,
        kUnsigned,
        kReal,
        kText,
        kArray,
        kObject,
        kDiscarded
    };
    // A text that is not JSON, or a value of another kind or number of elements than expected.
    struct Error : std::runtime_error {
        using std::runtime_error::runtime_error;
    };
    // Values of an array, or of an object's members.
    template <class Element, class Member>
    class Iterator;
    using iterator = Iterator<Json, JsonMember>;
    using const_iterator = Iterator<const Json, const JsonMember>;

    Json() noexcept = default;
    Json(std::nullptr_t) noexcept {}
    Json(std::string text);
    Json(std::string_view text);
    Json(const char* text);
    template <json_traits::Source T>
    Json(const T& value);
    // An object if all items are pairs that begin with a text, else an array.
    Json(std::initializer_list<json_traits::Item> items);
    Json(const Json& other);
    Json(Json&& other) noexcept
        : kind_{std::exchange(other.kind_, Kind::kNull)}, value_{other.value_} {}
    Json& operator=(Json other) noexcept {
        std::swap(kind_, other.kind_);
        std::swap(value_, other.value_);
        return *this;
    }
    ~Json() {
        if (kind_ >= Kind::kText) destroy();
    }
    static Json array() { return Json(Kind::kArray); }
    static Json array(std::initializer_list<json_traits::Item> items);
    static Json object() { return Json(Kind::kObject); }
    static Json discarded() { return Json(Kind::kDiscarded); }

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::kNull; }
    bool is_boolean() const { return kind_ == Kind::kBoolean; }
    bool is_number() const { return is_number_integer() || is_number_float(); }
    bool is_number_integer() const { return kind_ == Kind::kInteger || is_number_unsigned(); }
    bool is_number_unsigned() const { return kind_ == Kind::kUnsigned; }
    bool is_number_float() const { return kind_ == Kind::kReal; }
    bool is_string() const { return kind_ == Kind::kText; }
    bool is_array() const { return kind_ == Kind::kArray; }
    bool is_object() const { return kind_ == Kind::kObject; }
    bool is_discarded() const { return kind_ == Kind::kDiscarded; }
    const char* type_name() const;  // "number"

    size_t size() const;
    bool empty() const { return size() == 0; }
    template <class T>
    T get() const;
    template <class T>
    void get_to(T& value) const {
        value = get<T>();
    }
    template <json_traits::Target T>
    operator T() const {
        return get<T>();
    }
    // Throws for another kind of value.
    const std::string& text() const;
    const std::vector<Json>& elements() const;
    const std::vector<JsonMember>& members() const;
    // None for a value that is not an object.
    const std::vector<JsonMember>& items() const;

    // The member or element, which must exist.
    const Json& at(std::string_view name) const;
    Json& at(std::string_view name) { return const_cast<Json&>(std::as_const(*this).at(name)); }
    const Json& operator[](std::string_view name) const { return at(name); }
    // Without these, clang++ finds `json["name"]` ambiguous with the built-in index[pointer].
    const Json& operator[](const char* name) const { return at(name); }
    template <json_traits::Index I>
    const Json& at(I index) const {
        return element(static_cast<size_t>(index));
    }
    template <json_traits::Index I>
    const Json& operator[](I index) const {
        return element(static_cast<size_t>(index));
    }
    template <json_traits::Index I>
    Json& operator[](I index) {
        return const_cast<Json&>(element(static_cast<size_t>(index)));
    }
    // Adds the member if there is none. Null becomes an object.
    Json& operator[](std::string_view name);
    Json& operator[](const char* name) { return (*this)[std::string_view(name)]; }
    bool contains(std::string_view name) const { return member(name) != nullptr; }
    // The member's value, or `otherwise` if there is none.
    template <class T>
    T value(std::string_view name, const T& otherwise) const {
        const Json* const found = member_of_object(name);
        return found == nullptr ? otherwise : found->get<T>();
    }
    std::string value(std::string_view name, const char* otherwise) const {
        return value(name, std::string(otherwise));
    }
    const_iterator find(std::string_view name) const;
    iterator begin();
    iterator end();
    const_iterator begin() const;
    const_iterator end() const;

    // Null becomes an array.
    void push_back(Json element);
    template <class... T>
    void emplace_back(T&&... element) {
        push_back(Json(std::forward<T>(element)...));
    }
    // The number of members that were removed.
    size_t erase(std::string_view name);
    // Takes over the members of another object.
    void update(const Json& object);

    friend bool operator==(const Json& a, const Json& b);
    template <class T>
    requires std::is_scalar_v<T>
    friend bool operator==(const Json& a, const T& b) { return a == Json(b); }

 private:
    friend struct JsonMember;
    explicit Json(Kind kind);
    [[noreturn]] void fail_kind(const char* expected) const;
    void destroy();
    const Json& element(size_t index) const;
    const Json* member(std::string_view name) const;
    const Json* member_of_object(std::string_view name) const;
    void set_integer(int64_t value) { kind_ = Kind::kInteger, value_.integer = value; }
    void set_unsigned(uint64_t value) { kind_ = Kind::kUnsigned, value_.number = value; }
    void add(std::string name, Json value);
    int64_t to_integer() const;
    uint64_t to_unsigned() const;
    double to_real() const;
    bool to_boolean() const;

    union Value {
        bool boolean;
        int64_t integer;
        uint64_t number;
        double real;
        std::string* text;
        std::vector<Json>* array;
        std::vector<JsonMember>* object;
    };
    Kind kind_ = Kind::kNull;
    Value value_{};
};

struct JsonMember {
    std::string name;
    Json content;

    const std::string& key() const { return name; }
    const Json& value() const { return content; }
};

// An item of a list in braces, which is moved into the value.
struct json_traits::Item {
    Item(std::initializer_list<Item> items) : value(items) {}
    template <class T>
    requires(!std::same_as<std::remove_cvref_t<T>, Item> && std::constructible_from<Json, T>)
        Item(T&& from)
        : value(std::forward<T>(from)) {}

    mutable Json value;
};

template <class Element, class Member>
class Json::Iterator {
 public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Json;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;

    Iterator() = default;
    explicit Iterator(Element* element) : element_{element} {}
    explicit Iterator(Member* member) : member_{member} {}
    operator Iterator<const Element, const Member>() const
        requires(!std::is_const_v<Element>)
    {
        return member_ != nullptr ? Iterator<const Element, const Member>(member_)
                                  : Iterator<const Element, const Member>(element_);
    }

    Element& operator*() const { return member_ != nullptr ? member_->content : *element_; }
    Element* operator->() const { return &**this; }
    const std::string& key() const { return member_->name; }
    Element& value() const { return **this; }
    Iterator& operator++() {
        member_ != nullptr ? static_cast<void>(++member_) : static_cast<void>(++element_);
        return *this;
    }
    Iterator operator++(int) {
        Iterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Iterator&) const = default;

 private:
    Element* element_ = nullptr;
    Member* member_ = nullptr;
};

template <json_traits::Source T>
Json::Json(const T& value) {
    if constexpr (std::same_as<T, bool>) {
        kind_ = Kind::kBoolean;
        value_.boolean = value;
    } else if constexpr (std::floating_point<T>) {
        kind_ = Kind::kReal;
        value_.real = static_cast<double>(value);
    } else if constexpr (std::is_enum_v<T>) {
        *this = Json(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (std::unsigned_integral<T>) {
        set_unsigned(value);
    } else if constexpr (std::integral<T>) {
        set_integer(value);
    } else if constexpr (json_traits::MapOfNames<T>) {
        *this = object();
        for (const auto& [name, content] : value) add(std::string(name), Json(content));
    } else if constexpr (json_traits::List<T>) {
        *this = array();
        for (const auto& element : value)
            push_back(Json(static_cast<const typename T::value_type&>(element)));
    } else {
        *this = array();
        push_back(Json(value.first));
        push_back(Json(value.second));
    }
}

template <class T>
T Json::get() const {
    if constexpr (std::same_as<T, Json>) {
        return *this;
    } else if constexpr (std::same_as<T, bool>) {
        return to_boolean();
    } else if constexpr (json_traits::Text<T>) {
        return text();
    } else if constexpr (std::floating_point<T>) {
        return static_cast<T>(to_real());
    } else if constexpr (std::unsigned_integral<T>) {
        return static_cast<T>(to_unsigned());
    } else if constexpr (std::integral<T>) {
        return static_cast<T>(to_integer());
    } else if constexpr (json_traits::MapOfNames<T>) {
        T map;
        for (const JsonMember& member : members())
            map.emplace(member.name, member.content.get<typename T::mapped_type>());
        return map;
    } else if constexpr (json_traits::Map<T>) {
        T map;
        for (const Json& pair : elements())
            map.emplace(pair.at(0).get<typename T::key_type>(),
                        pair.at(1).get<typename T::mapped_type>());
        return map;
    } else if constexpr (json_traits::List<T>) {
        T list;
        for (const Json& element : elements())
            list.insert(list.end(), element.get<typename T::value_type>());
        return list;
    } else {
        return {at(0).get<typename T::first_type>(), at(1).get<typename T::second_type>()};
    }
}

// On one line, or indented. Bytes that are not UTF-8 become U+FFFD, because a file may have any
// name and a damaged recording any text, and the output must load.
std::string dump_json(const Json& json, int indent = -1);

struct JsonReading {
    bool discards =
        false;  // text that is not JSON gives a value that is_discarded(), instead of an exception
    bool ignores_comments = false;
    bool sorts = false;  // members by their names
};
Json parse_json(std::string_view text, JsonReading reading = {});
Json parse_json(std::istream& text, JsonReading reading = {});

}  // namespace ptosim
