#include "sim/machine/core/unit_flags.h"

#include <algorithm>

#include "isa/table/access.h"

namespace ptosim {

UnitRange unit_range(const Instruction& instruction) {
    if (instruction.attributes.phase == UnitFlagPhase::kUnspecified) return {};
    const AccessList list = accesses(instruction);
    const auto found = std::find_if(list.begin(), list.end(), [](const Access& access) {
        return !access.global && access.space == Space::kL0C;
    });
    if (found == list.end()) return {};
    return {found->begin, found->end};
}

const UnitFlags::Product* UnitFlags::unread(const UnitRange& range) const {
    for (const Product& product : products_)
        if (product.range.meets(range) && product.reading == Product::Reading::kNot)
            return &product;
    return nullptr;
}

const UnitFlags::Product* UnitFlags::being_read(const UnitRange& range, uint64_t sequence) const {
    for (const Product& product : products_)
        if (product.range.meets(range) && product.sequence != sequence &&
            product.reading == Product::Reading::kBegun)
            return &product;
    return nullptr;
}

std::vector<UnitFlags::Product> UnitFlags::unread() const {
    std::vector<Product> left;
    for (const Product& product : products_)
        if (product.ended && product.reading == Product::Reading::kNot) left.push_back(product);
    return left;
}

void UnitFlags::begin_launch() {
    products_ = unread();
    for (Product& product : products_) product.earlier_launch = true;
}

void UnitFlags::begin(const UnitRange& range, uint64_t sequence, SourceLocation where, Cycle first, Cycle last) {
    Product product;
    product.range = range;
    product.sequence = sequence;
    product.where = where;
    product.first = first;
    product.last = last;
    products_.push_back(product);
    changed_.notify();
}

Cycle UnitFlags::end(const UnitRange& range, uint64_t sequence, Cycle complete) {
    for (const Product& product : products_)
        if (product.range.meets(range) && product.reading == Product::Reading::kEnded)
            complete = std::max(complete, product.reader_complete + 1);
    std::erase_if(products_, [&](const Product& product) {
        return product.range.meets(range) && product.reading == Product::Reading::kEnded;
    });
    for (Product& product : products_) {
        if (product.sequence != sequence) continue;
        product.ended = true;
        product.complete = complete;
    }
    changed_.notify();
    return complete;
}

void UnitFlags::begin_reading(const UnitRange& range, uint64_t reader) {
    for (Product& product : products_) {
        if (!product.range.meets(range) || product.reading != Product::Reading::kNot) continue;
        product.reading = Product::Reading::kBegun;
        product.reader = reader;
    }
    changed_.notify();
}

bool UnitFlags::ended(const UnitRange& range, bool final, Cycle& complete) const {
    const auto state = final ? Product::Reading::kBegun : Product::Reading::kNot;
    bool every = true;
    for (const Product& product : products_) {
        if (!product.range.meets(range) || product.reading != state) continue;
        every = every && product.ended;
        complete = std::max(complete, product.complete);
    }
    return every;
}

void UnitFlags::end_reading(const UnitRange& range, Cycle complete) {
    for (Product& product : products_) {
        if (!product.range.meets(range) || product.reading != Product::Reading::kBegun) continue;
        product.reading = Product::Reading::kEnded;
        product.reader_complete = complete;
    }
    changed_.notify();
}

}  // namespace ptosim
