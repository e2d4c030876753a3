/* Launches of kernels whose code describes one thread: k<<<grid, block, dynamic UB, stream>>>(arguments). Included by
 * launch.h. */
#ifndef PTOSIM_THREAD_LAUNCH_H
#define PTOSIM_THREAD_LAUNCH_H

#include "ptosim/threads.h"

namespace ptosim {

/* The sizes of a grid or block, from a number or a dim3. */
template <class T>
void set_sizes(uint32_t (&sizes)[3], const T& from) {
    if constexpr (std::is_convertible<T, uint32_t>::value) {
        sizes[0] = static_cast<uint32_t>(from);
        sizes[1] = sizes[2] = 1;
    } else {
        sizes[0] = from.x;
        sizes[1] = from.y;
        sizes[2] = from.z;
    }
}

#ifdef PTOSIM_DEVICE_PASS

/* One thread of a kernel that is called through a lambda's type, or of a function. */
template <class Call, class... A>
void run_thread(const void* words) {
    KernelCall<A...>::with(stateless<Call>(), static_cast<const uint64_t*>(words));
}
template <auto function, class... A>
void run_thread_of(const void* words) {
    KernelCall<A...>::with(function, static_cast<const uint64_t*>(words));
}
inline void run_block(void (*thread)(const void*), const uint64_t* words) {
    ptosim_thread_block block{};
    block.shape = read_argument<ptosim_thread_shape>(words);
    block.run = thread;
    block.arguments = words;
    ptosim_run_threads(&block);
}

template <class Call, class Where>
class ThreadLauncher {
 public:
    template <class... A>
    void operator()(A...) const {
        (void)&Entry<A...>::registration;
    }

 private:
    template <class... A>
    struct Entry {
        static void run(const uint64_t* words) { run_block(&run_thread<Call, A...>, words); }
        static ptosim_entry make() {
            const LaunchSite site = stateless<Where>()();
            return {PTOSIM_MODULE,
                    typeid(Call).name(),
                    site.name,
                    ArgumentList<ptosim_thread_shape, A...>::types(),
                    "",
                    {site.file, site.line},
                    &run,
                    site.vectors,
                    PTOSIM_AUTO_SYNC,
                    PTOSIM_CALL_FRAMES,
                    site.launch};
        }
        static inline Registration registration{make()};
    };
};

template <class F, F* function>
struct ThreadEntry;
template <class... A, void (*function)(A...)>
struct ThreadEntry<void(A...), function> {
    ThreadEntry(const char* name, const char* parameters, const char* file, uint32_t line, uint32_t vectors) {
        const ptosim_entry entry = {PTOSIM_MODULE,
                                    "",
                                    name,
                                    ArgumentList<ptosim_thread_shape, A...>::types(),
                                    parameters,
                                    {file, line},
                                    &run,
                                    vectors,
                                    PTOSIM_AUTO_SYNC,
                                    PTOSIM_CALL_FRAMES,
                                    0};
        ptosim_register_entry(&entry);
    }
    static void run(const uint64_t* words) { run_block(&run_thread_of<function, A...>, words); }
};

template <class Grid, class Block, class Dynamic, class Stream, class Call, class Where>
ThreadLauncher<Call, Where> launch_threads(Grid, Block, Dynamic, Stream, Call, Where) {
    return {};
}
template <class F, class Grid, class Block, class Dynamic, class Stream, class Where>
LauncherElsewhere<F> launch_threads_elsewhere(Grid, Block, Dynamic, Stream, Where) {
    return {};
}

#else

template <class Grid, class Block>
ptosim_thread_shape shape_of(const Grid& grid, const Block& block, uint64_t dynamic) {
    ptosim_thread_shape shape{};
    set_sizes(shape.grid, grid);
    set_sizes(shape.block, block);
    shape.dynamic = dynamic;
    return shape;
}
inline int64_t blocks_of(const ptosim_thread_shape& shape) {
    return static_cast<int64_t>(shape.grid[0]) * shape.grid[1] * shape.grid[2];
}

template <class Call, class Where>
class ThreadLauncher {
 public:
    ThreadLauncher(const ptosim_thread_shape& shape, void* stream) : shape_{shape}, stream_{stream} {}
    template <class... A>
    void operator()(A... arguments) const {
        request_launch(PTOSIM_MODULE, typeid(Call).name(), stateless<Where>()(), blocks_of(shape_), stream_, shape_,
                       arguments...);
    }

 private:
    ptosim_thread_shape shape_;
    void* stream_;
};

template <class F, class Where>
class ThreadLauncherElsewhere;
template <class... A, class Where>
class ThreadLauncherElsewhere<void(A...), Where> {
 public:
    ThreadLauncherElsewhere(const ptosim_thread_shape& shape, void* stream) : shape_{shape}, stream_{stream} {}
    void operator()(A... arguments) const {
        request_launch(PTOSIM_MODULE, "", stateless<Where>()(), blocks_of(shape_), stream_, shape_, arguments...);
    }

 private:
    ptosim_thread_shape shape_;
    void* stream_;
};

template <class Grid, class Block, class Dynamic, class Stream, class Call, class Where>
ThreadLauncher<Call, Where> launch_threads(Grid grid, Block block, Dynamic dynamic, Stream stream, Call, Where) {
    return {shape_of(grid, block, static_cast<uint64_t>(dynamic)),
            const_cast<void*>(static_cast<const void*>(stream))};
}
template <class F, class Grid, class Block, class Dynamic, class Stream, class Where>
ThreadLauncherElsewhere<F, Where> launch_threads_elsewhere(Grid grid, Block block, Dynamic dynamic, Stream stream,
                                                           Where) {
    return {shape_of(grid, block, static_cast<uint64_t>(dynamic)),
            const_cast<void*>(static_cast<const void*>(stream))};
}

#endif

}  // namespace ptosim
#endif
