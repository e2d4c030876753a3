#include "sim/system/chakra.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosim {
namespace {

// Protocol Buffers' wire format: fields are a number and a type, then a number of seven bits a byte, or a length and
// bytes.
class Message {
 public:
    Message& number(unsigned field, uint64_t value) {
        add(field << 3);
        add(value);
        return *this;
    }
    Message& text(unsigned field, std::string_view value) {
        add(field << 3 | 2);
        add(value.size());
        bytes_ += value;
        return *this;
    }
    Message& message(unsigned field, const Message& value) { return text(field, value.bytes_); }
    // A file has the length of a message in front of it.
    std::string in_file() const {
        Message length;
        length.add(bytes_.size());
        return length.bytes_ + bytes_;
    }

 private:
    void add(uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

// Numbers of et_def.proto.
enum NodeType : uint8_t { kWork = 4, kSend = 5, kReceive = 6, kCollective = 7 };
namespace field {
enum Metadata : uint8_t { kVersion = 1 };
enum Node : uint8_t { kId = 1, kName = 2, kType = 3, kDataDeps = 5, kStart = 6, kDuration = 7, kAttr = 10 };
enum Attribute : uint8_t { kAttrName = 1, kInt32 = 7, kInt64 = 9, kUint32 = 11, kBool = 27, kString = 29 };
}  // namespace field

uint64_t number_of(Collective collective) {
    switch (collective) {
        case Collective::kAllReduce:
            return 0;
        case Collective::kAllGather:
            return 2;
        case Collective::kAllToAll:
            return 6;
        case Collective::kReduceScatter:
            return 7;
    }
    return 0;
}

Message attribute(std::string_view name, field::Attribute kind, uint64_t value) {
    return Message().text(field::kAttrName, name).number(kind, value);
}

class NodeMessage {
 public:
    NodeMessage(uint64_t id, std::string_view name, NodeType type, std::span<const uint64_t> after) {
        node_.number(field::kId, id).text(field::kName, name).number(field::kType, type);
        for (const uint64_t other : after) node_.number(field::kDataDeps, other);
    }
    NodeMessage& time(double start_us, double duration_us) {
        node_.number(field::kStart, static_cast<uint64_t>(std::llround(start_us)));
        node_.number(field::kDuration, static_cast<uint64_t>(std::llround(duration_us)));
        return *this;
    }
    NodeMessage& add(std::string_view name, field::Attribute kind, uint64_t value) {
        node_.message(field::kAttr, attribute(name, kind, value));
        return *this;
    }
    NodeMessage& add(std::string_view name, std::string_view value) {
        node_.message(field::kAttr, Message().text(field::kAttrName, name).text(field::kString, value));
        return *this;
    }
    std::string in_file() const { return node_.in_file(); }

 private:
    Message node_;
};

std::string begin_of_file() { return Message().text(field::kVersion, "1.0.0").in_file(); }

// ---- simulated chips ----------------------------------------------------------------------

class ChipTrace {
 public:
    ChipTrace(std::span<const ChipWork> launches, unsigned rank, uint64_t clock_hz)
        : launches_{launches}, rank_{rank}, cycles_per_us_{static_cast<double>(clock_hz) / 1e6} {}

    std::string of(std::span<const Links::Traffic> traffic) {
        std::vector<const Links::Traffic*> ordered;
        for (const Links::Traffic& one : traffic) ordered.push_back(&one);
        std::stable_sort(ordered.begin(), ordered.end(), [](const Links::Traffic* a, const Links::Traffic* b) {
            return std::tuple(a->begin, a->sent) < std::tuple(b->begin, b->sent);
        });
        for (const Links::Traffic* one : ordered) one->sent ? send(*one) : receive(*one);
        for (const ChipWork& launch : launches_) work_until(launch.end);
        return std::move(text_);
    }

 private:
    double us(Cycle time) const { return static_cast<double>(time) / cycles_per_us_; }

    std::string name_at(Cycle time) const {
        for (const ChipWork& launch : launches_)
            if (launch.begin < time && time <= launch.end) return launch.name;
        return "host";
    }

    // Begins and ends of launches divide the work.
    void work_until(Cycle time) {
        std::vector<Cycle> ends{time};
        for (const ChipWork& launch : launches_)
            for (const Cycle edge : {launch.begin, launch.end})
                if (edge > now_ && edge < time) ends.push_back(edge);
        std::sort(ends.begin(), ends.end());
        for (const Cycle end : ends) {
            if (end <= now_) continue;
            now_ = end;
            const auto whole = static_cast<uint64_t>(us(end));
            if (whole <= written_us_) continue;
            text_ += NodeMessage(++last_, name_at(end), kWork, before_)
                         .time(static_cast<double>(written_us_), static_cast<double>(whole - written_us_))
                         .add("is_cpu_op", field::kBool, 0)
                         .in_file();
            after_.erase(after_.begin(), after_.begin() + static_cast<ptrdiff_t>(before_.size()));
            after_.insert(after_.begin(), last_);
            before_ = after_;
            written_us_ = whole;
        }
    }

    NodeMessage exchanged(const Links::Traffic& one, NodeType type, std::span<const uint64_t> after) {
        const unsigned from = one.sent ? rank_ : one.peer, to = one.sent ? one.peer : rank_;
        return NodeMessage(++last_, one.what, type, after)
            .time(us(one.begin), us(one.end - one.begin))
            .add("is_cpu_op", field::kBool, 0)
            .add("comm_src", field::kInt32, from)
            .add("comm_dst", field::kInt32, to)
            .add("comm_size", field::kInt64, std::max<uint64_t>(1, one.bytes))
            .add("comm_tag", field::kInt32, one.number);
    }

    void send(const Links::Traffic& one) {
        std::deque<uint64_t>& asked = asked_[one.peer];
        if (one.what != std::string_view("loaded") || asked.empty()) {
            work_until(one.begin);
            text_ += exchanged(one, kSend, after_).in_file();
            return;
        }
        const uint64_t request = asked.front();
        asked.pop_front();
        text_ += exchanged(one, kSend, std::span(&request, 1)).in_file();
    }

    void receive(const Links::Traffic& one) {
        const std::string_view what = one.what;
        const bool asks = what == "load" || what == "atomic";
        if (what != "load") work_until(one.begin);
        text_ += exchanged(one, kReceive, {}).in_file();
        if (asks) asked_[one.peer].push_back(last_);
        if (what != "load") after_.push_back(last_);
    }

    std::span<const ChipWork> launches_;
    const unsigned rank_;
    const double cycles_per_us_;
    std::string text_ = begin_of_file();
    uint64_t last_ = 0;
    // Nodes that the next message follows, and the first of them, which the next work follows: messages that arrive
    // during work hold up the work after it.
    std::vector<uint64_t> after_, before_;
    std::map<unsigned, std::deque<uint64_t>> asked_;  // requests without answer, by peer
    Cycle now_ = 0;
    uint64_t written_us_ = 0;
};

// ---- steps --------------------------------------------------------------------------------

// Ranks of equal size and distance form groups of one kind, in the order of their first rank.
using Kind = std::pair<uint64_t, uint64_t>;  // ranks, apart

std::map<Kind, uint64_t> first_groups(const SystemStep& step, uint64_t ranks) {
    std::map<Kind, uint64_t> first;
    uint64_t next = 1;
    for (const StepNode& node : step.nodes) {
        if (!node.collective || node.ranks == ranks) continue;
        if (first.try_emplace({node.ranks, node.apart}, next).second) next += ranks / node.ranks;
    }
    return first;
}

uint64_t group_of(const Kind& kind, uint64_t rank) {
    const auto& [ranks, apart] = kind;
    return rank / (ranks * apart) * apart + rank % apart;
}

}  // namespace

std::string chakra_of_chip(std::span<const Links::Traffic> traffic, std::span<const ChipWork> launches, unsigned rank,
                           uint64_t clock_hz) {
    return ChipTrace(launches, rank, clock_hz).of(traffic);
}

std::string chakra_of_step(const SystemStep& step, const StepTime& time, uint64_t rank, uint64_t ranks) {
    std::string text = begin_of_file();
    const std::map<Kind, uint64_t> groups = first_groups(step, ranks);
    const uint64_t count = step.nodes.size();
    const double once = time.us / static_cast<double>(step.repeat);
    std::vector<bool> last(count, true);  // nothing of the same repetition follows
    for (const StepNode& node : step.nodes)
        for (const size_t other : node.after) last[other] = false;
    for (uint64_t round = 0; round < step.repeat; ++round) {
        for (uint64_t i = 0; i < count; ++i) {
            const StepNode& node = step.nodes[i];
            std::vector<uint64_t> after;
            for (const size_t other : node.after) after.push_back(round * count + other + 1);
            if (after.empty() && round > 0)
                for (uint64_t other = 0; other < count; ++other)
                    if (last[other]) after.push_back((round - 1) * count + other + 1);
            const StepTime::Node& its = time.nodes[i];
            NodeMessage message(round * count + i + 1, node.name, node.collective ? kCollective : kWork, after);
            message.time(static_cast<double>(round) * once + its.begin, its.alone).add("is_cpu_op", field::kBool, 0);
            if (node.collective) {
                message.add("comm_type", field::kInt64, number_of(*node.collective));
                message.add("comm_size", field::kInt64, node.bytes);
                if (const auto group = groups.find({node.ranks, node.apart}); group != groups.end())
                    message.add("pg_name", std::to_string(group->second + group_of(group->first, rank)));
            }
            text += message.in_file();
        }
    }
    return text;
}

std::string chakra_groups(const SystemStep& step, uint64_t ranks) {
    std::map<uint64_t, std::string> members;
    for (const auto& [kind, first] : first_groups(step, ranks))
        for (uint64_t rank = 0; rank < ranks; ++rank) {
            std::string& group = members[first + group_of(kind, rank)];
            group += (group.empty() ? "" : ", ") + std::to_string(rank);
        }
    std::string text = "{";
    for (const auto& [number, ranks_of] : members)
        text += (text.size() == 1 ? "\n" : ",\n") + ("  \"" + std::to_string(number)) + "\": [" + ranks_of + "]";
    return text + "\n}\n";
}

}  // namespace ptosim
