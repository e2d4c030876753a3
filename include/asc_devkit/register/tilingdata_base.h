// Host-side classes of tiling data: members with set_ and get_, saved as the structure of the same
// members that a kernel reads, each at a multiple of its size and a structure at a multiple of 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/types.h"
#include "securec.h"

namespace optiling {

class TilingDef {
 public:
    virtual ~TilingDef() = default;

    size_t GetDataSize() const { return (bytes_ + kAlignment - 1) / kAlignment * kAlignment; }
    void SaveToBuffer(void* buffer, size_t room) const {
        if (buffer == nullptr || room < bytes_) return;
        std::memset(buffer, 0, room < GetDataSize() ? room : GetDataSize());
        for (const Member& member : members_) {
            const auto* from = reinterpret_cast<const unsigned char*>(this) + member.at;
            auto* to = static_cast<unsigned char*>(buffer) + member.offset;
            if (member.nested)
                static_cast<const TilingDef*>(static_cast<const void*>(from))->SaveToBuffer(to, member.size);
            else
                std::memcpy(to, from, member.size);
        }
    }
    virtual const char* GetTilingClassName() const { return ""; }

 protected:
    static constexpr size_t kAlignment = 8;

    // Members announce themselves in their order, by their offsets in the object, which copies share.
    struct Announced {
        Announced(TilingDef* data, const void* member, size_t size, size_t alignment, bool nested = false) {
            data->bytes_ = (data->bytes_ + alignment - 1) / alignment * alignment;
            const ptrdiff_t at = static_cast<const unsigned char*>(member) - reinterpret_cast<unsigned char*>(data);
            data->members_.push_back({at, size, data->bytes_, nested});
            data->bytes_ += size;
        }
        Announced(const Announced&) {}
        Announced& operator=(const Announced&) { return *this; }
    };

 private:
    struct Member {
        ptrdiff_t at;
        size_t size, offset;
        bool nested;
    };
    std::vector<Member> members_;
    size_t bytes_ = 0;
};

// Classes by the names of their operators.
class CTilingDataClassFactory {
 public:
    using Maker = std::shared_ptr<TilingDef> (*)();
    static CTilingDataClassFactory& GetInstance() {
        static CTilingDataClassFactory factory;
        return factory;
    }
    static void RegisterTilingData(const char* name, Maker maker) { GetInstance().makers_[name] = maker; }
    std::shared_ptr<TilingDef> CreateTilingDataInstance(const std::string& name) const {
        const auto found = makers_.find(name);
        return found == makers_.end() ? nullptr : found->second();
    }

 private:
    std::map<std::string, Maker> makers_;
};

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(Class_)                                                     \
    class Class_ : public ::optiling::TilingDef {                                          \
     public:                                                                               \
        const char* GetTilingClassName() const override { return #Class_; }

#define TILING_DATA_FIELD_DEF(Type_, Name_)                                               \
 private:                                                                                  \
    Type_ Name_##_ = 0;                                                                    \
    Announced announced_##Name_{this, &Name_##_, sizeof(Type_), sizeof(Type_)};            \
                                                                                           \
 public:                                                                                   \
    void set_##Name_(Type_ value) { Name_##_ = value; }                                    \
    Type_ get_##Name_() const { return Name_##_; }

#define TILING_DATA_FIELD_DEF_ARR(Type_, Count_, Name_)                                   \
 private:                                                                                  \
    Type_ Name_##_[Count_] = {};                                                           \
    Announced announced_##Name_{this, &Name_##_, sizeof(Name_##_), sizeof(Type_)};         \
                                                                                           \
 public:                                                                                   \
    void set_##Name_(const Type_* values) { std::memcpy(Name_##_, values, sizeof(Name_##_)); } \
    Type_* get_##Name_() { return Name_##_; }

#define TILING_DATA_FIELD_DEF_STRUCT(Class_, Name_)                                       \
 public:                                                                                   \
    Class_ Name_;                                                                          \
                                                                                           \
 private:                                                                                  \
    Announced announced_##Name_{this, static_cast<::optiling::TilingDef*>(&Name_),          \
                                Name_.GetDataSize(), kAlignment, true};                    \
                                                                                           \
 public:

#define END_TILING_DATA_DEF \
    }

#define REGISTER_TILING_DATA_CLASS(Operator_, Class_)                                      \
    [[maybe_unused]] static const bool registered_##Operator_##_##Class_ =                 \
        (::optiling::CTilingDataClassFactory::RegisterTilingData(                          \
             #Operator_, [] { return std::shared_ptr<::optiling::TilingDef>(new Class_); }), \
         true);
