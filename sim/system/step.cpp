#include "sim/system/step.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ptosim {
namespace {

// A part of a collective that goes over the links of one level.
struct TransferSize {
    size_t node = 0;
    std::string level;
    double start = 0, work = 0;  // left: of latencies, of bytes at the full rate, in us
};

class StepSchedule {
 public:
    StepSchedule(const SystemModel& system, const SystemStep& step)
        : step_{step}, missing_(step.nodes.size()), next_part_(step.nodes.size()), left_(step.nodes.size()) {
        time_.nodes.resize(step.nodes.size());
        for (size_t i = 0; i < step.nodes.size(); ++i) {
            const StepNode& node = step.nodes[i];
            missing_[i] = node.after.size();
            parts_.push_back({});
            time_.nodes[i].alone = node.us;
            if (!node.collective) continue;
            const CollectiveTime alone = collective_time(system, *node.collective, node.bytes, node.ranks, node.apart);
            time_.nodes[i].alone = alone.us;
            for (const CollectivePart& part : alone.parts)
                parts_[i].push_back({i, part.level, part.start_us, part.us - part.start_us});
        }
    }

    StepTime run() {
        for (size_t i = 0; i < missing_.size(); ++i)
            if (missing_[i] == 0) begin(i);
        while (working_ || !transfers_.empty() || !possible_.empty()) advance();
        time_.us = now_ * static_cast<double>(step_.repeat);
        for (std::optional<size_t> at = last_; at; at = time_.nodes[*at].cause) time_.critical.push_back(*at);
        std::reverse(time_.critical.begin(), time_.critical.end());
        return std::move(time_);
    }

 private:
    bool in_rings(size_t node) const { return *step_.nodes[node].collective != Collective::kAllToAll; }

    void begin(size_t node) {
        if (!step_.nodes[node].collective) {
            possible_.push_back(node);
            return begin_work();
        }
        time_.nodes[node].begin = now_;
        left_[node] = parts_[node].size();
        if (left_[node] == 0) return end(node);
        const size_t first = in_rings(node) ? 1 : parts_[node].size();
        for (size_t i = 0; i < first; ++i) transfers_.push_back(parts_[node][i]);
        next_part_[node] = first;
    }

    void begin_work() {
        if (working_ || possible_.empty()) return;
        working_ = possible_.front();
        possible_.erase(possible_.begin());
        StepTime::Node& node = time_.nodes[*working_];
        node.begin = now_;
        if (last_work_ && time_.nodes[*last_work_].end == now_) node.cause = last_work_;
        work_left_ = step_.nodes[*working_].us;
    }

    void end(size_t node) {
        time_.nodes[node].end = now_;
        last_ = node;
        for (size_t i = 0; i < missing_.size(); ++i) {
            const std::vector<size_t>& after = step_.nodes[i].after;
            const auto times = static_cast<size_t>(std::count(after.begin(), after.end(), node));
            if (times == 0 || (missing_[i] -= times) != 0) continue;
            time_.nodes[i].cause = node;
            begin(i);
        }
    }

    // The number of transfers that carry bytes on the links of a level.
    double sharers(const std::string& level) const {
        return static_cast<double>(std::count_if(transfers_.begin(), transfers_.end(), [&](const TransferSize& one) {
            return one.start <= 0 && one.level == level;
        }));
    }
    double until_change(const TransferSize& one) const { return one.start > 0 ? one.start : one.work * sharers(one.level); }

    // Moves to the next time at which something begins or ends.
    void advance() {
        double step = working_ ? work_left_ : std::numeric_limits<double>::max();
        for (const TransferSize& one : transfers_) step = std::min(step, until_change(one));
        const double almost = step * (1 + 1e-12);
        if (working_) {
            time_.work_us += step;
        } else {
            time_.exposed_us += step;
        }
        now_ += step;
        std::vector<double> shares;
        for (const TransferSize& one : transfers_) shares.push_back(sharers(one.level));
        std::vector<TransferSize> left;
        std::vector<size_t> ended;
        for (size_t i = 0; i < transfers_.size(); ++i) {
            TransferSize one = transfers_[i];
            if (one.start > 0) {
                one.start = one.start <= almost ? 0 : one.start - step;
                if (one.start <= 0 && one.work <= 0) ended.push_back(one.node);
                else left.push_back(one);
            } else if (one.work * shares[i] <= almost) {
                ended.push_back(one.node);
            } else {
                one.work -= step / shares[i];
                left.push_back(one);
            }
        }
        transfers_ = std::move(left);
        std::optional<size_t> finished;
        if (working_) {
            if (work_left_ <= almost) finished = std::exchange(working_, {});
            else work_left_ -= step;
        }
        for (const size_t node : ended) end_part(node);
        if (finished) {
            last_work_ = finished;
            end(*finished);
            begin_work();
        }
    }

    void end_part(size_t node) {
        if (next_part_[node] < parts_[node].size()) transfers_.push_back(parts_[node][next_part_[node]++]);
        if (--left_[node] == 0) end(node);
    }

    const SystemStep& step_;
    StepTime time_;
    double now_ = 0;
    // By node: nodes that it still waits for; parts of collectives that have begun, and that have not ended.
    std::vector<size_t> missing_, next_part_, left_;
    std::vector<std::vector<TransferSize>> parts_;
    std::vector<TransferSize> transfers_;  // under way
    std::vector<size_t> possible_;     // work, in the order in which it became so
    std::optional<size_t> working_, last_work_, last_;
    double work_left_ = 0;
};

}  // namespace

StepTime time_of_step(const SystemModel& system, const SystemStep& step) { return StepSchedule(system, step).run(); }

}  // namespace ptosim
