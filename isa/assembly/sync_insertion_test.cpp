// Expected values are counted by hand. The random programs are judged by an executor of their own:
// it follows one path through a program, and keeps for every pipe which single executions of
// instructions it knows to be complete.
#include "isa/assembly/sync_insertion.h"

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "isa/assembly/ast.h"

namespace ptosim::assembly {
namespace {

using Kind = SyncNode::Kind;

// Nodes with operations of their own, which only serve as names of places.
class Builder {
 public:
    SyncNode work(Pipe pipe, std::vector<int> reads, std::vector<int> writes) {
        SyncNode node = make(Kind::kWork);
        node.pipe = pipe;
        for (const int buffer : reads) node.reach.push_back(buffer_reach(buffer, false));
        for (const int buffer : writes) node.reach.push_back(buffer_reach(buffer, true));
        return node;
    }
    SyncNode around(Kind kind, std::vector<SyncBlock> blocks) {
        SyncNode node = make(kind);
        node.blocks = std::move(blocks);
        return node;
    }
    SyncNode make(Kind kind) {
        SyncNode node;
        node.kind = kind;
        node.operation = &operations_.emplace_back();
        return node;
    }
    static Reach buffer_reach(int buffer, bool writes) {
        Reach reach;
        reach.writes = writes;
        reach.begin = static_cast<uint64_t>(buffer) * 64;
        reach.end = reach.begin + 64;
        return reach;
    }

 private:
    std::deque<Operation> operations_;
};

struct Counts {
    size_t sets = 0, waits = 0, barriers = 0, all_barriers = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
};

Counts count(const std::vector<SyncInsertion>& list) {
    Counts counts;
    for (const SyncInsertion& insertion : list) {
        if (insertion.kind == SyncInsertion::Kind::kSet) ++counts.sets;
        if (insertion.kind == SyncInsertion::Kind::kWait) ++counts.waits;
        if (insertion.kind != SyncInsertion::Kind::kBarrier) continue;
        ++(insertion.source == Pipe::kAll ? counts.all_barriers : counts.barriers);
    }
    return counts;
}

// One path through a program.
class Executor {
 public:
    Executor(const std::vector<SyncInsertion>& insertions, const SyncOptions& options,
             std::mt19937& random)
        : options_{options}, random_{random} {
        for (const SyncInsertion& insertion : insertions)
            places_[{insertion.operation, insertion.behind}].push_back(insertion);
    }

    // Empty, or what is wrong.
    std::string run(const SyncBlock& body) {
        block(body);
        for (const auto& [key, flag] : flags_)
            if (flag.set) fail("a flag is still set at the end");
        return problem_;
    }

 private:
    struct Instance {
        const SyncNode* node = nullptr;  // null: a wait
        Pipe pipe = Pipe::kS;
    };
    struct Flag {
        bool set = false;
        std::set<size_t> token;
        size_t wait = SIZE_MAX;  // the last one's instance
    };
    using Known = std::set<size_t>;

    void fail(const std::string& problem) {
        if (problem_.empty()) problem_ = problem;
    }
    int trips() { return static_cast<int>(random_() % 4); }
    Known& known(Pipe pipe) { return known_[static_cast<size_t>(pipe)]; }

    void block(const SyncBlock& nodes) {
        for (const SyncNode& node : nodes) {
            for (const SyncInsertion& insertion : places_[{node.operation, false}]) flag(insertion);
            execute(node);
            for (const SyncInsertion& insertion : places_[{node.operation, true}]) flag(insertion);
        }
    }

    void execute(const SyncNode& node) {
        switch (node.kind) {
            case Kind::kWork:
                return work(node);
            case Kind::kBarrier:
                return barrier(node.pipe);
            case Kind::kDrain:
                for (size_t i = 0; i < instances_.size(); ++i)
                    if (instances_[i].node != nullptr && instances_[i].pipe != Pipe::kS &&
                        known(Pipe::kS).count(i) == 0)
                        fail("a call while a pipe is busy");
                return barrier(Pipe::kAll);
            case Kind::kLoop:
                for (int i = trips(); i > 0; --i) block(node.blocks[0]);
                return;
            case Kind::kWhile:
                block(node.blocks[0]);
                for (int i = trips(); i > 0; --i) {
                    block(node.blocks[1]);
                    block(node.blocks[0]);
                }
                return;
            case Kind::kBranch:
                return block(node.blocks[random_() % node.blocks.size()]);
        }
    }

    void work(const SyncNode& node) {
        const bool interlocked = node.pipe == Pipe::kV && options_.arch != Arch::kA2A3;
        for (size_t i = 0; i < instances_.size(); ++i) {
            const Instance& earlier = instances_[i];
            if (earlier.node == nullptr || known(node.pipe).count(i) != 0) continue;
            if (earlier.pipe == node.pipe && (interlocked || node.pipe == Pipe::kS)) continue;
            for (const Reach& a : earlier.node->reach)
                for (const Reach& b : node.reach)
                    if ((a.writes || b.writes) && a.begin < b.end && b.begin < a.end)
                        fail("an instruction starts before what it depends on is complete");
        }
        instances_.push_back({&node, node.pipe});
    }

    void barrier(Pipe pipe) {
        for (size_t i = 0; i < instances_.size(); ++i)
            for (size_t p = 0; p < kPipeCount; ++p)
                if (pipe == Pipe::kAll ||
                    (p == static_cast<size_t>(pipe) && instances_[i].pipe == pipe))
                    known_[p].insert(i);
    }

    void flag(const SyncInsertion& insertion) {
        if (insertion.kind == SyncInsertion::Kind::kBarrier) return barrier(insertion.source);
        if (insertion.id >= options_.ids) fail("there is no such id");
        Flag& flag = flags_[{insertion.source, insertion.destination, insertion.id}];
        if (insertion.kind == SyncInsertion::Kind::kSet) {
            flag.token = known(insertion.source);
            for (size_t i = 0; i < instances_.size(); ++i)
                if (instances_[i].pipe == insertion.source) flag.token.insert(i);
            if (flag.set) fail("a flag is set twice");
            if (flag.wait != SIZE_MAX && flag.token.count(flag.wait) == 0)
                fail("a flag may be set before the wait for the set before");
            flag.set = true;
            return;
        }
        if (!flag.set) fail("a wait for a flag that nobody sets");
        flag.set = false;
        known(insertion.destination).insert(flag.token.begin(), flag.token.end());
        flag.wait = instances_.size();
        instances_.push_back({nullptr, insertion.destination});
    }

    const SyncOptions& options_;
    std::mt19937& random_;
    std::map<std::pair<const Operation*, bool>, std::vector<SyncInsertion>> places_;
    std::vector<Instance> instances_;
    std::array<Known, kPipeCount> known_;
    std::map<std::tuple<Pipe, Pipe, uint8_t>, Flag> flags_;
    std::string problem_;
};

// Says what is wrong on any of some paths.
std::string problem_of(const SyncBlock& body, const SyncOptions& options, std::mt19937& random,
                       int paths = 6) {
    const std::vector<SyncInsertion> list = insert_sync(body, options);
    for (int i = 0; i < paths; ++i) {
        const std::string problem = Executor(list, options, random).run(body);
        if (!problem.empty()) return problem;
    }
    return {};
}

std::string problem_of(const SyncBlock& body, const SyncOptions& options = {}) {
    std::mt19937 random(1);
    return problem_of(body, options, random, 30);
}

TEST_CASE("a load, a computation and a store need one flag each") {
    Builder make;
    // x = load; y = f(x); store y; x and y are different buffers.
    const SyncBlock body{make.work(Pipe::kMTE2, {}, {0}), make.work(Pipe::kV, {0}, {1}),
                         make.work(Pipe::kMTE3, {1}, {})};
    CHECK(count(insert_sync(body, {})) == Counts{2, 2, 0, 0});
    CHECK(problem_of(body).empty());
}

TEST_CASE("what follows from two flags needs none of its own") {
    Builder make;
    // In place: the store also reads what the load has written.
    const SyncBlock body{make.work(Pipe::kMTE2, {}, {0}), make.work(Pipe::kV, {0}, {0}),
                         make.work(Pipe::kMTE3, {0}, {})};
    CHECK(count(insert_sync(body, {})) == Counts{2, 2, 0, 0});
}

TEST_CASE("dependent instructions of one pipe get a barrier, except V on a5") {
    Builder make;
    const SyncBlock body{make.work(Pipe::kV, {0}, {1}), make.work(Pipe::kV, {1}, {2})};
    CHECK(count(insert_sync(body, {})) == Counts{0, 0, 1, 0});
    SyncOptions a5;
    a5.arch = Arch::kA5;
    CHECK(count(insert_sync(body, a5)) == Counts{});
    const SyncBlock cube{make.work(Pipe::kM, {0}, {1}), make.work(Pipe::kM, {0, 1}, {1})};
    CHECK(count(insert_sync(cube, a5)) == Counts{0, 0, 1, 0});
}

TEST_CASE("independent instructions get nothing") {
    Builder make;
    const SyncBlock body{make.work(Pipe::kMTE2, {}, {0}), make.work(Pipe::kV, {1}, {2}),
                         make.work(Pipe::kV, {1}, {3}), make.work(Pipe::kMTE3, {4}, {})};
    CHECK(insert_sync(body, {}).empty());
}

TEST_CASE("a loop waits at its head for the round before") {
    Builder make;
    SyncBlock inside{make.work(Pipe::kMTE2, {}, {0}), make.work(Pipe::kV, {0}, {1}),
                     make.work(Pipe::kMTE3, {1}, {})};
    const SyncBlock body{make.around(Kind::kLoop, {inside})};
    const auto list = insert_sync(body, {});
    // Two flags forwards; two that the loop carries, each with a set before and a wait behind.
    CHECK(count(list) == Counts{6, 6, 0, 0});
    CHECK(problem_of(body).empty());
}

TEST_CASE("flags of a loop inside of a loop stay set between its runs") {
    Builder make;
    SyncBlock inner{make.work(Pipe::kMTE2, {}, {0}), make.work(Pipe::kV, {0}, {1})};
    SyncBlock outer{make.around(Kind::kLoop, {inner}), make.work(Pipe::kMTE3, {1}, {})};
    const SyncBlock body{make.around(Kind::kLoop, {outer})};
    CHECK(problem_of(body).empty());
    CHECK(count(insert_sync(body, {})).all_barriers == 0);
}

TEST_CASE("flags across a branch stand outside of it") {
    Builder make;
    SyncBlock then{make.work(Pipe::kV, {0}, {1})}, otherwise;
    const SyncBlock body{make.work(Pipe::kMTE2, {}, {0}),
                         make.around(Kind::kBranch, {then, otherwise}),
                         make.work(Pipe::kMTE3, {1}, {})};
    const auto list = insert_sync(body, {});
    CHECK(count(list) == Counts{2, 2, 0, 0});
    for (const SyncInsertion& insertion : list)
        CHECK(insertion.operation != body[1].blocks[0][0].operation);
    CHECK(problem_of(body).empty());
}

TEST_CASE("a dependence between the branches of an if is one of the loop around it") {
    Builder make;
    SyncBlock then{make.work(Pipe::kMTE2, {}, {0})}, otherwise{make.work(Pipe::kV, {0}, {1})};
    const SyncBlock body{
        make.around(Kind::kLoop, {{make.around(Kind::kBranch, {then, otherwise})}})};
    CHECK(problem_of(body).empty());
}

TEST_CASE("the parts of a while get barriers between them") {
    Builder make;
    SyncBlock before{make.work(Pipe::kMTE2, {}, {0}), make.work(Pipe::kS, {0}, {})};
    SyncBlock after{make.work(Pipe::kV, {0}, {0}), make.work(Pipe::kMTE3, {0}, {})};
    const SyncBlock body{make.around(Kind::kWhile, {before, after})};
    CHECK(problem_of(body).empty());
    CHECK(count(insert_sync(body, {})).all_barriers > 0);
}

TEST_CASE("when there are no ids left, barriers of all pipes take their place") {
    Builder make;
    SyncBlock body;
    for (int i = 0; i < 12; ++i) body.push_back(make.work(Pipe::kMTE2, {}, {i}));
    for (int i = 0; i < 12; ++i) body.push_back(make.work(Pipe::kV, {11 - i}, {20 + i}));
    // The last load is needed first: one flag orders all of them.
    CHECK(count(insert_sync(body, {})) == Counts{1, 1, 0, 0});
    SyncBlock other;
    for (int i = 0; i < 12; ++i) other.push_back(make.work(Pipe::kMTE2, {}, {i}));
    for (int i = 0; i < 12; ++i) other.push_back(make.work(Pipe::kV, {i}, {20 + i}));
    const Counts counts = count(insert_sync(other, {}));
    CHECK(counts.all_barriers > 0);
    CHECK(counts.sets <= 12);
    CHECK(problem_of(other).empty());
}

TEST_CASE("ids that instructions use inside are not used for others") {
    Builder make;
    SyncBlock body{make.work(Pipe::kV, {}, {0}), make.work(Pipe::kS, {0}, {})};
    body[0].internal = {{Pipe::kV, Pipe::kS, 0}};
    const auto list = insert_sync(body, {});
    REQUIRE(list.size() == 2);
    CHECK(list[0].id == 1);
}

TEST_CASE("a signal to other cores comes behind everything done to memory") {
    Builder make;
    SyncNode signal = make.work(Pipe::kMTE3, {}, {});
    signal.releases = signal.in_order = true;
    SyncNode store = make.work(Pipe::kMTE2, {}, {});
    Reach global;
    global.global = true;
    store.reach = {global};
    CHECK(count(insert_sync({store, signal}, {})) == Counts{1, 1, 0, 0});
}

SyncBlock random_block(Builder& make, std::mt19937& random, int depth) {
    static constexpr Pipe kVectorPipes[] = {Pipe::kMTE2, Pipe::kV, Pipe::kMTE3, Pipe::kS};
    SyncBlock block;
    for (int i = 1 + static_cast<int>(random() % 4); i > 0; --i) {
        const unsigned choice = random() % (depth > 0 ? 14 : 9);
        if (choice < 9) {
            const auto buffer = [&] { return static_cast<int>(random() % 5); };
            std::vector<int> reads, writes;
            if (random() % 3 != 0) reads.push_back(buffer());
            if (random() % 2 != 0) writes.push_back(buffer());
            block.push_back(make.work(kVectorPipes[random() % 4], reads, writes));
        } else if (choice < 12) {
            block.push_back(make.around(Kind::kLoop, {random_block(make, random, depth - 1)}));
        } else if (choice < 13) {
            block.push_back(make.around(
                Kind::kBranch,
                {random_block(make, random, depth - 1),
                 random() % 2 != 0 ? random_block(make, random, depth - 1) : SyncBlock{}}));
        } else if (random() % 4 == 0) {
            block.push_back(make.around(Kind::kWhile, {random_block(make, random, depth - 1),
                                                       random_block(make, random, depth - 1)}));
        } else {
            block.push_back(make.make(random() % 2 != 0 ? Kind::kDrain : Kind::kBarrier));
            block.back().pipe = Pipe::kAll;
        }
    }
    return block;
}

TEST_CASE("random programs are ordered on every path") {
    for (unsigned seed = 0; seed < 400; ++seed) {
        std::mt19937 random(seed);
        Builder make;
        const SyncBlock body = random_block(make, random, 3);
        SyncOptions options;
        options.arch = seed % 2 == 0 ? Arch::kA2A3 : Arch::kA5;
        options.ids = seed % 3 == 0 ? 2 : 8;
        INFO("seed " << seed);
        CHECK(problem_of(body, options, random) == "");
    }
}

}  // namespace
}  // namespace ptosim::assembly
