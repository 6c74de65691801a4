// Launching: from a list of argument pointers to a finished grid.
//
// TERRACE_SIM_KERNEL(k) makes the function that a driver would be asked for. The types of the parameters come from the
// kernel itself, so the caller gives only pointers to the values, as it would to cuLaunchKernel:
//
//     void k(const float* a, int n)      { *(const float**)args[0], *(int*)args[1] }  for every thread
//
// The function returns 0, or 1 and a message that begins "kernel k: ". Launches of one library take turns, because its
// shared memory and its stacks exist once.
//
// The seed decides everything that CUDA leaves open: 0 runs threads in ascending order and 1 in descending order, with
// few interruptions (these two alone find most missing barriers); other seeds draw the order, the number of resident
// blocks and the rate of interruptions.
//
// Declined: streams, events, two-dimensional grids, launches from a kernel.
#pragma once

namespace terrace_sim {

static const unsigned MAX_DYNAMIC_SHARED = 227 * 1024;

static pthread_mutex_t launch_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t switch_budget = 2000000, resident_blocks = 0, start_order = 0;

struct LaunchTurn {
    LaunchTurn() { pthread_mutex_lock(&launch_lock); }
    ~LaunchTurn() { pthread_mutex_unlock(&launch_lock); }
};

static uint64_t spread(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) { return b ? common_divisor(b, a % b) : a; }

// Decides what the seed decides.
static unsigned plan_schedule(uint64_t seed) {
    Machine& m = machine;
    m.random = spread(seed) | 1;
    m.order = seed == 0 ? ASCENDING : seed == 1 ? DESCENDING : RANDOM;
    m.atomic_odds = m.order != RANDOM ? 64 : 2u << (2 * draw_below(3));
    m.wander_odds = __stop_terrace_shared - __start_terrace_shared + m.dynamic_bytes <= 4096 ? 16 : 128;
    unsigned resident = m.order == RANDOM ? 2 + draw_below(MAX_RESIDENT - 1) : 4;
    if (resident_blocks) resident = resident_blocks < MAX_RESIDENT ? (unsigned)resident_blocks : MAX_RESIDENT;
    else if (resident > 2 && resident * m.size > MAX_FIBRES) resident = MAX_FIBRES / m.size;
    m.stride = 1;
    m.offset = 0;
    if (start_order) {
        m.offset = draw_below(m.grid);
        do m.stride = 1 + draw_below(m.grid);
        while (common_divisor(m.stride, m.grid) != 1);
    }
    return resident < m.grid ? resident : m.grid;
}

// Room for the shared memory of each resident block, and noise to fill it with.
static bool provide_memory(unsigned resident) {
    Machine& m = machine;
    size_t shared_bytes = (size_t)(__stop_terrace_shared - __start_terrace_shared);
    size_t dynamic = m.dynamic_bytes + GUARD_WORDS * 8;
    size_t noise_bytes = (shared_bytes > dynamic ? shared_bytes : dynamic) + 512 * 8 + 8;
    if (m.noise_bytes < noise_bytes) {
        free(m.noise);
        m.noise = (uint64_t*)malloc(noise_bytes);
        m.noise_bytes = m.noise ? noise_bytes : 0;
        if (!m.noise) return false;
        for (size_t i = 0; i < noise_bytes / 8; i++) m.noise[i] = spread(i);
    }
    for (unsigned i = 0; i < resident; i++) {
        Block& block = slots[i];
        if (!block.saved_shared) block.saved_shared = (char*)malloc(shared_bytes);
        if (block.dynamic_capacity < dynamic) {
            free(block.dynamic_shared);
            block.dynamic_shared = (char*)malloc(dynamic); // aligned to 16
            block.dynamic_capacity = block.dynamic_shared ? dynamic : 0;
        }
        if (!block.saved_shared || !block.dynamic_shared) return false;
    }
    return true;
}

static int run_grid(const char* kernel, void* function, void (*call)(void*, void**), unsigned grid, unsigned block,
                    unsigned dynamic_bytes, void** args, uint64_t seed, char* message, size_t message_bytes) {
    LaunchTurn turn;
    Machine& m = machine;
    if (message_bytes) message[0] = 0;
    if (grid == 0 || grid > INT32_MAX || block == 0 || block > MAX_BLOCK || dynamic_bytes > MAX_DYNAMIC_SHARED) {
        snprintf(message, message_bytes, "kernel %s: cannot launch %u blocks of %u threads with %u bytes of shared memory",
                 kernel, grid, block, dynamic_bytes);
        return 1;
    }
    m.kernel = kernel;
    m.function = function;
    m.call = call;
    m.arguments = args;
    m.grid = grid;
    m.size = block;
    m.dynamic_bytes = dynamic_bytes;
    m.message = message;
    m.message_bytes = message_bytes;
    m.patience = switch_budget * SPIN_WEIGHT;
    m.stale = 0;
    m.failed = false;
    m.pool.entry = fibre_main;
    unsigned resident = plan_schedule(seed);
    Fibre* fibre = provide_memory(resident) ? m.pool.take() : nullptr;
    if (!fibre) {
        snprintf(message, message_bytes, "kernel %s: no memory to launch it", kernel);
        return 1;
    }
    gridDim.x = grid;
    blockDim.x = block;
    m.block = nullptr;
    m.turn = m.started = 0;
    m.live_count = resident;
    for (unsigned i = 0; i < resident; i++) start_block(*(m.live[i] = &slots[i]));
    m.turn = resident - 1; // so that the first turn is block 0's
    choose(false);
    running().fibre = fibre;
    fibre_switch(&m.host, fibre);
    m.pool.settle(m.failed, SLABS_KEPT);
    return m.failed ? 1 : 0;
}

template <class T> struct Plain { typedef T type; };
template <class T> struct Plain<const T> { typedef T type; };

template <class T> static inline T argument(void* pointer) {
    typename Plain<T>::type value;
    memcpy(&value, pointer, sizeof value);
    return value;
}

template <size_t...> struct Positions {};
template <size_t n, size_t... rest> struct Count : Count<n - 1, n - 1, rest...> {};
template <size_t... all> struct Count<0, all...> { typedef Positions<all...> type; };

template <class... P, size_t... i>
static inline void call_with(void (*kernel)(P...), void** args, Positions<i...>) {
    kernel(argument<P>(args[i])...);
}

template <class... P> static void call_kernel(void* function, void** args) {
    call_with((void (*)(P...))function, args, typename Count<sizeof...(P)>::type());
}

template <class... P>
static int launch(const char* name, void (*kernel)(P...), unsigned grid, unsigned block, unsigned dynamic_bytes,
                  void** args, uint64_t seed, char* message, size_t message_bytes) {
    return run_grid(name, (void*)kernel, call_kernel<P...>, grid, block, dynamic_bytes, args, seed, message, message_bytes);
}

// Unloading the library gives its stacks back.
__attribute__((destructor)) static void drop_stacks() {
    machine.pool.settle(true, 0);
    free(machine.noise);
    for (Block& block : slots) {
        free(block.saved_shared);
        free(block.dynamic_shared);
    }
}

} // namespace terrace_sim

extern "C" __attribute__((visibility("default"), used)) int terrace_sim_set(const char* name, uint64_t value) {
    terrace_sim::LaunchTurn turn;
    if (!strcmp(name, "switch_budget")) terrace_sim::switch_budget = value;
    else if (!strcmp(name, "resident_blocks")) terrace_sim::resident_blocks = value;
    else if (!strcmp(name, "start_order")) terrace_sim::start_order = value;
    else return 1;
    return 0;
}

#define TERRACE_SIM_KERNEL(name)                                                                            \
    extern "C" __attribute__((visibility("default"))) int name##__sim(                                      \
        unsigned grid, unsigned block, unsigned dynamic_shared_bytes, void** args, uint64_t seed, char* message, \
        size_t message_bytes) {                                                                             \
        return terrace_sim::launch(#name, &name, grid, block, dynamic_shared_bytes, args, seed, message, message_bytes); \
    }
