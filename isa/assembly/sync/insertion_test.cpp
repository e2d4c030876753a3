// Expected values are counted by hand. Random programs are checked by a separate executor: it follows one path through
// a program, and tracks for every pipe which executions of instructions are known to be complete.
#include "isa/assembly/sync/insertion.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "isa/assembly/syntax/ast.h"

namespace ptosim::assembly {
namespace {

using Kind = SyncNode::Kind;

// Nodes with separate operations, which only serve as names of positions.
class Builder {
 public:
    SyncNode work(Pipe pipe, std::vector<int> reads, std::vector<int> writes) {
        SyncNode node = make(Kind::kWork);
        node.pipe = pipe;
        for (const int buffer : reads) node.reach.push_back(buffer_reach(buffer, false));
        for (const int buffer : writes) node.reach.push_back(buffer_reach(buffer, true));
        return node;
    }
    // In each iteration of the loop it reads or writes one of `period` buffers from `first` on, at
    // first the one with the number `shift`.
    void turn(SyncNode& node, const SyncNode& loop, int first, unsigned shift, bool writes) {
        SyncIterations iterations;
        iterations.loop = loop.operation;
        for (unsigned iteration = 0; iteration < loop.period; ++iteration) {
            const int slot = first + static_cast<int>((iteration + shift) % loop.period);
            iterations.reach.push_back(node.reach);
            iterations.reach.back().push_back(buffer_reach(slot, writes));
        }
        for (const auto& reach : iterations.reach) node.reach.push_back(reach.back());
        node.iterations.push_back(iterations);
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
            positions_[{insertion.operation, insertion.behind}].push_back(insertion);
    }

    // Empty, or a description of the error.
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
        std::vector<Reach> reach;
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
    int trips() { return static_cast<int>(random_() % 6); }
    Known& known(Pipe pipe) { return known_[static_cast<size_t>(pipe)]; }

    void block(const SyncBlock& nodes) {
        for (const SyncNode& node : nodes) {
            for (const SyncInsertion& insertion : positions_[{node.operation, false}])
                flag(insertion);
            execute(node);
            for (const SyncInsertion& insertion : positions_[{node.operation, true}])
                flag(insertion);
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
                iterations_[node.operation] = 0;
                for (int i = node.trips ? static_cast<int>(*node.trips) : trips(); i > 0; --i) {
                    block(node.blocks[0]);
                    ++iterations_[node.operation];
                }
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
        std::vector<Reach> reach = node.reach;
        for (const SyncIterations& iterations : node.iterations)
            reach = iterations.reach[iterations_[iterations.loop] % iterations.reach.size()];
        for (size_t i = 0; i < instances_.size(); ++i) {
            const Instance& earlier = instances_[i];
            if (earlier.node == nullptr || known(node.pipe).count(i) != 0) continue;
            if (earlier.pipe == node.pipe && (interlocked || node.pipe == Pipe::kS)) continue;
            for (const Reach& a : earlier.reach)
                for (const Reach& b : reach)
                    if ((a.writes || b.writes) && a.begin < b.end && b.begin < a.end)
                        fail("an instruction starts before what it depends on is complete");
        }
        instances_.push_back({&node, node.pipe, reach});
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
        unsigned id = insertion.id;
        if (insertion.ids > 1)
            id += (iterations_[insertion.loop] + insertion.offset) % insertion.ids;
        if (id >= options_.ids) fail("there is no such id");
        Flag& flag = flags_[{insertion.source, insertion.destination, id}];
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
        instances_.push_back({nullptr, insertion.destination, {}});
    }

    const SyncOptions& options_;
    std::mt19937& random_;
    std::map<std::pair<const Operation*, bool>, std::vector<SyncInsertion>> positions_;
    std::vector<Instance> instances_;
    std::array<Known, kPipeCount> known_;
    std::map<std::tuple<Pipe, Pipe, unsigned>, Flag> flags_;
    std::map<const Operation*, unsigned> iterations_;  // of the loop's run, or that it has had
    std::string problem_;
};

// The first problem on one of `paths` random paths; empty if there is none.
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
    // In place: the store also reads the output of the load.
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

TEST_CASE("a loop waits at its head for the iteration before") {
    Builder make;
    SyncBlock inside{make.work(Pipe::kMTE2, {}, {0}), make.work(Pipe::kV, {0}, {1}),
                     make.work(Pipe::kMTE3, {1}, {})};
    const SyncBlock body{make.around(Kind::kLoop, {inside})};
    const auto list = insert_sync(body, {});
    // Two flags forwards, and two that the loop carries, each with a set before and a wait after it.
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

// x = load; x = f(x); store x, where x is one of `slots` buffers in turn.
SyncBlock slots_in_turn(Builder& make, unsigned slots) {
    SyncNode loop = make.make(Kind::kLoop);
    loop.period = slots;
    SyncBlock inside{make.work(Pipe::kMTE2, {}, {}), make.work(Pipe::kV, {}, {}),
                     make.work(Pipe::kMTE3, {}, {})};
    make.turn(inside[0], loop, 0, 0, true);
    make.turn(inside[1], loop, 0, 0, true);
    make.turn(inside[2], loop, 0, 0, false);
    loop.blocks = {inside};
    return {loop};
}

TEST_CASE("a flag has an id for each slot of a buffer") {
    for (const unsigned slots : {2u, 3u, 4u}) {
        Builder make;
        const SyncBlock body = slots_in_turn(make, slots);
        const auto list = insert_sync(body, {});
        // Load to f, f to store, and store back to load, which has a set for every slot before the
        // loop, and a wait after it.
        CHECK(count(list) == Counts{3 + slots, 3 + slots, 0, 0});
        for (const SyncInsertion& insertion : list)
            if (insertion.operation != body[0].operation) CHECK(insertion.ids == slots);
        CHECK(problem_of(body).empty());
    }
}

TEST_CASE("slots that there are no ids for share one") {
    Builder make;
    const SyncBlock body = slots_in_turn(make, 4);
    SyncOptions few;
    few.ids = 3;
    for (const SyncInsertion& insertion : insert_sync(body, few)) CHECK(insertion.ids == 1);
    CHECK(problem_of(body, few).empty());
}

TEST_CASE("a load runs ahead of the computation of the iteration before") {
    Builder make;
    SyncNode loop = make.make(Kind::kLoop);
    loop.period = 2;
    SyncBlock inside{make.work(Pipe::kMTE2, {}, {}), make.work(Pipe::kV, {}, {})};
    make.turn(inside[0], loop, 0, 0, true);
    make.turn(inside[1], loop, 0, 1, false);  // what was loaded in the iteration before
    loop.blocks = {inside};
    const SyncBlock body{loop};
    CHECK(problem_of(body).empty());
    CHECK(count(insert_sync(body, {})).all_barriers == 0);
}

TEST_CASE("runs of a loop go on with the slots where the run before ended") {
    Builder make;
    SyncBlock inner = slots_in_turn(make, 2);
    inner[0].trips = 4;
    const SyncBlock body{make.around(Kind::kLoop, {inner})};
    // The same counts: nothing is awaited between the runs.
    CHECK(count(insert_sync(body, {})) == Counts{5, 5, 0, 0});
    CHECK(problem_of(body).empty());
    inner[0].trips = 3;
    const SyncBlock odd{make.around(Kind::kLoop, {inner})};
    CHECK(problem_of(odd).empty());
}

TEST_CASE("who sets a flag too early is answered") {
    Builder make;
    // If the branch is not taken, the store's pipe is not ordered after V. It could set its flag of this iteration
    // before V has waited for the one of the previous iteration.
    SyncBlock then{make.work(Pipe::kMTE3, {0}, {})}, otherwise;
    const SyncBlock body{make.around(
        Kind::kLoop,
        {{make.work(Pipe::kV, {}, {0}), make.around(Kind::kBranch, {then, otherwise})}})};
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

TEST_CASE("flags of loops beside each other share an id where there are too few") {
    Builder make;
    // Iteration after iteration: three loops, each of which loads its own buffer and works on it.
    SyncBlock inside;
    for (int buffer = 0; buffer < 3; ++buffer)
        inside.push_back(make.around(Kind::kLoop, {{make.work(Pipe::kMTE2, {}, {buffer}),
                                                    make.work(Pipe::kV, {buffer}, {})}}));
    const SyncBlock body{make.around(Kind::kLoop, {inside})};
    SyncOptions options;
    options.ids = 1;
    // Load to work: one in each loop. Back: one flag, set in each loop and once before all.
    CHECK(count(insert_sync(body, options)) == Counts{7, 7, 0, 0});
    CHECK(problem_of(body, options).empty());
    // With ids enough, each loop has its own.
    CHECK(count(insert_sync(body, {})) == Counts{9, 9, 0, 0});
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

SyncNode random_loop(Builder& make, std::mt19937& random, int depth,
                     std::vector<const SyncNode*> around);

// `around`: the loops that contain it.
SyncBlock random_block(Builder& make, std::mt19937& random, int depth,
                       const std::vector<const SyncNode*>& around = {}) {
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
            if (around.empty() || random() % 2 != 0) continue;
            const SyncNode& loop = *around[random() % around.size()];
            if (loop.period == 1) continue;
            block.back().reach.clear();
            make.turn(block.back(), loop, 10 + 10 * static_cast<int>(random() % 2),
                      static_cast<unsigned>(random()), random() % 2 != 0);
        } else if (choice < 12) {
            block.push_back(random_loop(make, random, depth - 1, around));
        } else if (choice < 13) {
            block.push_back(make.around(
                Kind::kBranch,
                {random_block(make, random, depth - 1, around),
                 random() % 2 != 0 ? random_block(make, random, depth - 1, around) : SyncBlock{}}));
        } else if (random() % 4 == 0) {
            block.push_back(
                make.around(Kind::kWhile, {random_block(make, random, depth - 1, around),
                                           random_block(make, random, depth - 1, around)}));
        } else {
            block.push_back(make.make(random() % 2 != 0 ? Kind::kDrain : Kind::kBarrier));
            block.back().pipe = Pipe::kAll;
        }
    }
    return block;
}

SyncNode random_loop(Builder& make, std::mt19937& random, int depth,
                     std::vector<const SyncNode*> around) {
    SyncNode loop = make.make(Kind::kLoop);
    loop.period = 1 + static_cast<unsigned>(random() % 3);
    if (random() % 3 == 0) loop.trips = random() % 7;
    around.push_back(&loop);
    loop.blocks = {random_block(make, random, depth, around)};
    return loop;
}

// Problem of insert_sync with the random program of that seed; empty if none.
std::string random_problem(unsigned seed, int& in_turn) {
    std::mt19937 random(seed);
    Builder make;
    const SyncBlock body = random_block(make, random, 3);
    SyncOptions options;
    options.arch = seed % 2 == 0 ? Arch::kA2A3 : Arch::kA5;
    options.ids = seed % 3 == 0 ? 2 : 8;
    const auto list = insert_sync(body, options);
    in_turn += std::any_of(list.begin(), list.end(),
                           [](const SyncInsertion& insertion) { return insertion.ids > 1; });
    return problem_of(body, options, random);
}

TEST_CASE("random programs are ordered on every path") {
    int in_turn = 0;
    std::vector<unsigned> seeds{2016, 3617};  // found by longer runs: a lost flag, no end
    for (unsigned seed = 0; seed < 1000; ++seed) seeds.push_back(seed);
    for (const unsigned seed : seeds) {
        INFO("seed " << seed);
        CHECK(random_problem(seed, in_turn) == "");
    }
    CHECK(in_turn > 30);
}

// Not by default: tens of minutes.
TEST_CASE("many random programs are ordered on every path", "[.long]") {
    int in_turn = 0;
    for (unsigned seed = 1000; seed < 30'000; ++seed) {
        INFO("seed " << seed);
        CHECK(random_problem(seed, in_turn) == "");
    }
}

}  // namespace
}  // namespace ptosim::assembly
