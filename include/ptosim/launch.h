/* Launches: how a kernel's host part, its device images and the simulator meet.
 *
 * `ptosim build` compiles a kernel source three times: as the host's part, and as AIC and AIV
 * (PTOSIM_DEVICE_PASS). It writes `f<T><<<blocks, l2, stream>>>(args)` as
 * `::ptosim::launch(blocks, l2, stream, lambdas)(args)` in all three; in the device passes that
 * instantiates and registers the kernel, in the host's part it launches what was registered under
 * the same name. A kernel that the source only declares is found by its name among those of the
 * same executable or library. Arguments travel as 64-bit words, each argument in as many as it
 * needs. */
#ifndef PTOSIM_LAUNCH_H
#define PTOSIM_LAUNCH_H

#include "ptosim/kernel_abi.h"

/* A kernel function of a device image, registered while the image is loaded. */
typedef struct ptosim_entry {
    const char* module;       /* identifies the source file: the text of PTOSIM_MODULE, a variable */
    const char* site;         /* names the launch and its template arguments; "" for a function */
    const char* name;         /* as the kernel's source writes it: "runAdd" */
    const char* const* types; /* of its parameters, as TypeName names them; 0 ends the list */
    const char* parameters;   /* their names, separated by commas; "" if unknown */
    ptosim_location where;
    void (*run)(const uint64_t* words);
    uint32_t vectors; /* AIVs of a cluster that run it; 0: all */
    uint32_t auto_sync; /* 1: the device's compiler synchronises (--cce-auto-sync=on) */
    uint32_t call_frames; /* 1: its code keeps frame pointers, and a library's headers issue instructions */
    uint32_t launch; /* number that its passes share; 0: a function */
} ptosim_entry;
PTOSIM_ABI void ptosim_register_entry(const ptosim_entry* entry);

/* The device images of an executable or library: the bytes of its section `ptosim_kernels`. */
PTOSIM_ABI void ptosim_register_images(const void* begin, const void* end);

typedef struct ptosim_launch_request {
    const char* module;
    const char* site;
    const char* name;
    const char* const* types;
    const uint64_t* words;
    uint64_t word_count;
    int64_t blocks;
    void* stream;
    ptosim_location where;
    uint32_t launch; /* as of its entry */
} ptosim_launch_request;
/* Runs the kernel on the simulated device. What goes wrong is reported on standard error and by the
 * next synchronisation of the stream. */
PTOSIM_ABI void ptosim_launch(const ptosim_launch_request* request);

#if defined(__cplusplus) && defined(PTOSIM_MODULE)

#include <type_traits>
#include <typeinfo>

/* Identifies this source; its definition is added at the end. */
namespace {
extern const char PTOSIM_MODULE[];
}

#ifndef PTOSIM_AUTO_SYNC
#define PTOSIM_AUTO_SYNC 0
#endif
#ifndef PTOSIM_CALL_FRAMES
#define PTOSIM_CALL_FRAMES 0
#endif

namespace ptosim {

template <class T>
inline constexpr unsigned kArgumentWords = (sizeof(T) + 7) / 8;

/* A type's mangled name. The half-precision types of clang have no type information in Debian's C++
 * library, so they have names here, which are mangled as those of vendors' types. */
template <class T>
struct TypeName {
    static const char* text() { return typeid(T).name(); }
};
#ifdef __clang__
#define PTOSIM_TYPE_NAME(TYPE, NAME)                     \
    template <>                                          \
    struct TypeName<TYPE> {                              \
        static const char* text() { return NAME; }       \
    };
#define PTOSIM_TYPE_NAMES(TYPE, NAME)           \
    PTOSIM_TYPE_NAME(TYPE, NAME)                \
    PTOSIM_TYPE_NAME(TYPE*, "P" NAME)           \
    PTOSIM_TYPE_NAME(const TYPE*, "PK" NAME)    \
    PTOSIM_TYPE_NAME(volatile TYPE*, "PV" NAME)
#ifdef __FLT16_MANT_DIG__
PTOSIM_TYPE_NAMES(_Float16, "u4half")
#endif
#if __clang_major__ >= 17 && defined(__x86_64__)
PTOSIM_TYPE_NAMES(__bf16, "u10bfloat16_t")
#endif
#undef PTOSIM_TYPE_NAMES
#undef PTOSIM_TYPE_NAME
#endif

template <class... A>
struct ArgumentList {
    static_assert((true && ... && std::is_trivially_copyable<A>::value),
                  "kernel arguments are copied to the device as bytes");
    static const char* const* types() {
        static const char* const list[] = {TypeName<A>::text()..., nullptr};
        return list;
    }
};

/* Where a launch stands, and the kernel's name as it is written there. */
struct LaunchSite {
    const char* name;
    const char* file;
    uint32_t line;
    uint32_t vectors; /* AIVs of a cluster that run it; 0: all */
    uint32_t launch; /* number that all passes give to it */
};

/* Lambdas without captures have no state: they are called by their type. */
template <class L>
const L& stateless() {
    static const char nothing = 0;
    return reinterpret_cast<const L&>(nothing);
}

template <class T>
T read_argument(const uint64_t*& words) {
    union Value {
        char bytes[sizeof(T)];
        T value;
        Value() {}
    } result;
    __builtin_memcpy(result.bytes, words, sizeof(T));
    words += kArgumentWords<T>;
    return result.value;
}

/* A `void*` of a host, which kernels take for any pointer, as on the device. */
struct HostAddress {
    void* address;
    template <class T>
    operator T*() const {
        return (T*)address;  // also to an address space
    }
};
template <class T>
T as_parameter(T value) {
    return value;
}
inline HostAddress as_parameter(void* value) { return {value}; }

/* Calls a kernel with arguments that are read in the order of its parameters. */
template <class... A>
struct KernelCall {
    template <class F, class... Done>
    static void with(const F& function, const uint64_t*, Done... done) {
        function(done...);
    }
};
template <class First, class... Rest>
struct KernelCall<First, Rest...> {
    template <class F, class... Done>
    static void with(const F& function, const uint64_t* words, Done... done) {
        First value = read_argument<First>(words);
        KernelCall<Rest...>::with(function, words, done..., as_parameter(value));
    }
};

#ifdef PTOSIM_DEVICE_PASS

/* What would end or leave the whole process ends the kernel that calls it: the linker puts
 * __wrap_NAME for NAME (sim/compile/compiler.cpp has the same list). Weak, because kernels may be
 * linked of several objects. */
#define PTOSIM_ENDS_KERNEL(name, parameters, message)                                         \
    extern "C"                                                                                \
        __attribute__((noreturn, used, weak, visibility("hidden"))) void __wrap_##name parameters { \
        ptosim_trap(message, {nullptr, 0});                                                   \
        __builtin_unreachable();                                                              \
    }
PTOSIM_ENDS_KERNEL(exit, (int), "it called exit()")
PTOSIM_ENDS_KERNEL(_exit, (int), "it called _exit()")
PTOSIM_ENDS_KERNEL(_Exit, (int), "it called _Exit()")
PTOSIM_ENDS_KERNEL(quick_exit, (int), "it called quick_exit()")
PTOSIM_ENDS_KERNEL(abort, (), "it called abort()")
PTOSIM_ENDS_KERNEL(longjmp, (void*, int), "it called longjmp()")
PTOSIM_ENDS_KERNEL(_longjmp, (void*, int), "it called longjmp()")
PTOSIM_ENDS_KERNEL(siglongjmp, (void*, int), "it called siglongjmp()")
PTOSIM_ENDS_KERNEL(pthread_exit, (void*), "it called pthread_exit()")
PTOSIM_ENDS_KERNEL(__stack_chk_fail, (), "it has written beyond the end of a local array")
#undef PTOSIM_ENDS_KERNEL

extern "C" __attribute__((noreturn, used, weak, visibility("hidden"))) void __wrap___assert_fail(
    const char* condition, const char* file, unsigned line, const char*) {
    char text[512];
    __builtin_snprintf(text, sizeof text, "its assertion '%s' has failed", condition);
    ptosim_trap(text, {file, line});
    __builtin_unreachable();
}

struct Registration {
    explicit Registration(const ptosim_entry& entry) { ptosim_register_entry(&entry); }
};

/* A launch: Call is the type of a lambda that calls the kernel, Where of one that returns its
 * LaunchSite. In a device pass it registers the kernel and launches nothing. */
template <class Call, class Where>
class Launcher {
 public:
    template <class... A>
    void operator()(A...) const {
        (void)&Entry<A...>::registration;
    }

 private:
    template <class... A>
    struct Entry {
        static void run(const uint64_t* words) { KernelCall<A...>::with(stateless<Call>(), words); }
        static ptosim_entry make() {
            const LaunchSite site = stateless<Where>()();
            return {PTOSIM_MODULE,
                    typeid(Call).name(),
                    site.name,
                    ArgumentList<A...>::types(),
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

/* A kernel that is a function of its own: it can be run by its name. */
template <class F, F* function>
struct FunctionEntry;
template <class... A, void (*function)(A...)>
struct FunctionEntry<void(A...), function> {
    FunctionEntry(const char* name, const char* parameters, const char* file, uint32_t line,
                  uint32_t vectors) {
        const ptosim_entry entry = {PTOSIM_MODULE, "",           name, ArgumentList<A...>::types(),
                                    parameters,    {file, line}, &run, vectors,
                                    PTOSIM_AUTO_SYNC, PTOSIM_CALL_FRAMES, 0};
        ptosim_register_entry(&entry);
    }
    static void run(const uint64_t* words) { KernelCall<A...>::with(function, words); }
};

template <class Blocks, class L2, class Stream, class Call, class Where>
Launcher<Call, Where> launch(Blocks, L2, Stream, Call, Where) {
    return {};
}

/* A kernel that another source defines is registered there. */
template <class F>
struct LauncherElsewhere {
    template <class... A>
    void operator()(A...) const {}
};
template <class F, class Blocks, class L2, class Stream, class Where>
LauncherElsewhere<F> launch_elsewhere(Blocks, L2, Stream, Where) {
    return {};
}

/* A kernel that is not compiled for this pass's cores. */
template <class Blocks, class L2, class Stream, class Call, class Where>
LauncherElsewhere<void()> launch_on_other_cores(Blocks, L2, Stream, Call, Where) {
    return {};
}

#else

template <class T>
void pack_argument(uint64_t*& next, const T& value) {
    __builtin_memcpy(next, &value, sizeof(T));
    next += kArgumentWords<T>;
}

/* Packs the arguments and hands them over. The module is an argument, as a linker keeps one of the
 * functions that sources make of this for the same types. */
template <class... A>
void request_launch(const char* module, const char* name, const LaunchSite& site, int64_t blocks,
                    void* stream, A... arguments) {
    constexpr unsigned count = (0u + ... + kArgumentWords<A>);
    uint64_t words[count + 1] = {};
    uint64_t* next = words;
    (pack_argument(next, arguments), ...);
    const ptosim_launch_request request = {
        module, name,   site.name, ArgumentList<A...>::types(), words,
        count,  blocks, stream,    {site.file, site.line},     site.launch};
    ptosim_launch(&request);
}

/* A launch. */
template <class Call, class Where>
class Launcher {
 public:
    Launcher(int64_t blocks, void* stream) : blocks_{blocks}, stream_{stream} {}
    template <class... A>
    void operator()(A... arguments) const {
        request_launch(PTOSIM_MODULE, typeid(Call).name(), stateless<Where>()(), blocks_, stream_,
                       arguments...);
    }

 private:
    int64_t blocks_;
    void* stream_;
};

/* A launch of a kernel that another source defines: its parameters are those of its declaration,
 * and it has no site. */
template <class F, class Where>
class LauncherElsewhere;
template <class... A, class Where>
class LauncherElsewhere<void(A...), Where> {
 public:
    LauncherElsewhere(int64_t blocks, void* stream) : blocks_{blocks}, stream_{stream} {}
    void operator()(A... arguments) const {
        request_launch(PTOSIM_MODULE, "", stateless<Where>()(), blocks_, stream_, arguments...);
    }

 private:
    int64_t blocks_;
    void* stream_;
};

template <class Blocks, class L2, class Stream, class Call, class Where>
Launcher<Call, Where> launch(Blocks blocks, L2, Stream stream, Call, Where) {
    return {static_cast<int64_t>(blocks), const_cast<void*>(static_cast<const void*>(stream))};
}
template <class F, class Blocks, class L2, class Stream, class Where>
LauncherElsewhere<F, Where> launch_elsewhere(Blocks blocks, L2, Stream stream, Where) {
    return {static_cast<int64_t>(blocks), const_cast<void*>(static_cast<const void*>(stream))};
}

#endif

}  // namespace ptosim

#include "ptosim/thread_launch.h"
#endif
#endif
