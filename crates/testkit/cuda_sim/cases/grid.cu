// Cases of many blocks: look-back, atomics, and waiting for ever.

// Inclusive sums in one pass. A tile publishes its own sum, then looks back: it adds what the tiles before it have
// published until it meets one that knows its whole prefix. State: 0 nothing, 1 own sum, 2 whole prefix.
#define TILE 32
#define LOOK_BACK(name, TILE_NUMBER)                                                                        \
    extern "C" __global__ void name(const int* a, int* b, int n, unsigned* state, int* own, int* whole,     \
                                    unsigned* ticket) {                                                     \
        __shared__ int s[TILE];                                                                             \
        __shared__ int before;                                                                              \
        __shared__ unsigned tile;                                                                           \
        int t = threadIdx.x;                                                                                \
        if (t == 0) tile = TILE_NUMBER;                                                                     \
        __syncthreads();                                                                                    \
        int i = tile * TILE + t, x = i < n ? a[i] : 0;                                                      \
        s[t] = x;                                                                                           \
        __syncthreads();                                                                                    \
        for (int d = 1; d < TILE; d *= 2) {                                                                 \
            int y = t >= d ? s[t - d] : 0;                                                                  \
            __syncthreads();                                                                                \
            s[t] += y;                                                                                      \
            __syncthreads();                                                                                \
        }                                                                                                   \
        if (t == 0) {                                                                                       \
            int prefix = 0;                                                                                 \
            __stcg(&own[tile], s[TILE - 1]);                                                                \
            __threadfence();                                                                                \
            atomicExch(&state[tile], 1u);                                                                   \
            for (int j = (int)tile - 1; j >= 0;) {                                                          \
                unsigned seen = terrace_load_volatile(&state[j]);                                           \
                __threadfence();                                                                            \
                if (seen == 2) { prefix += __ldcg(&whole[j]); break; }                                      \
                if (seen == 1) { prefix += __ldcg(&own[j]); j--; }                                          \
            }                                                                                               \
            __stcg(&whole[tile], prefix + s[TILE - 1]);                                                     \
            __threadfence();                                                                                \
            atomicExch(&state[tile], 2u);                                                                   \
            before = prefix;                                                                                \
        }                                                                                                   \
        __syncthreads();                                                                                    \
        if (i < n) b[i] = before + s[t];                                                                    \
    }                                                                                                       \
    TERRACE_SIM_KERNEL(name)
LOOK_BACK(look_back, atomicAdd(ticket, 1u))
LOOK_BACK(look_back_by_index, blockIdx.x)

// Looks ahead at tiles that need not have started: right only if all blocks are resident.
extern "C" __global__ void look_ahead(unsigned* flags) {
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x)
            while (terrace_load_volatile(&flags[blockIdx.x + 1]) == 0) __nanosleep(20);
        atomicExch(&flags[blockIdx.x], 1u);
    }
}
TERRACE_SIM_KERNEL(look_ahead)

extern "C" __global__ void spin(volatile int* flag) {
    while (*flag == 0) __nanosleep(100);
}
TERRACE_SIM_KERNEL(spin)

extern "C" __global__ void spin_together(const int* flag) {
    while (!__syncthreads_or(__ldcg(flag))) {}
}
TERRACE_SIM_KERNEL(spin_together)

extern "C" __global__ void lock(int* mutex, int* count) {
    for (bool done = false; !done;) {
        if (atomicCAS(mutex, 0, 1) == 0) {
            int seen = terrace_load_volatile(count);
            __threadfence();
            terrace_store_release(count, seen + 1);
            atomicExch(mutex, 0);
            done = true;
        }
    }
}
TERRACE_SIM_KERNEL(lock)

extern "C" __global__ void unlocked(int* count) {
    int seen = terrace_load_volatile(count);
    __threadfence();
    terrace_store_release(count, seen + 1);
}
TERRACE_SIM_KERNEL(unlocked)

extern "C" __global__ void histogram(const int* a, unsigned* counts, int* least, unsigned long long* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&counts[a[i] % 5], 1u);
    atomicMin(least, a[i]);
    atomicAdd(total, (unsigned long long)a[i]);
}
TERRACE_SIM_KERNEL(histogram)

// Float sums in order of arrival: not associative, so the answer depends on the schedule.
extern "C" __global__ void arrival(float* total) { atomicAdd(total, 1.0f / (1 + blockIdx.x * blockDim.x + threadIdx.x)); }
TERRACE_SIM_KERNEL(arrival)

#include "driver.h"

static const int N = 3000, TILES = (N + TILE - 1) / TILE;
static int a[N], b[N], own[TILES], whole[TILES];
static unsigned state[TILES];
static void show_prefixes() {
    int sum = 0, wrong = 0;
    for (int i = 0; i < N; i++) wrong += b[i] != (sum += a[i]);
    int results[] = {wrong, sum};
    show(results, 2);
}
static void prepare() {
    for (int i = 0; i < N; i++) a[i] = i * 7 % 11 - 3, b[i] = -1;
    memset(state, 0, sizeof state);
}
CASE(look_back) {
    unsigned ticket = 0;
    prepare();
    terrace_sim_set("start_order", 1);
    int status = launch_with(look_back__sim, TILES, TILE, 0, a, b, N, state, own, whole, &ticket);
    terrace_sim_set("start_order", 0);
    if (status) puts(message); else show_prefixes();
}
CASE(look_back_by_index) {
    unsigned ticket = 0;
    prepare();
    LAUNCH(look_back_by_index, TILES, TILE, 0, a, b, N, state, own, whole, &ticket)
    show_prefixes();
}
CASE(look_ahead_resident) { unsigned flags[2] = {0}; LAUNCH(look_ahead, 2, 4, 0, flags) show(flags, 2); }
static void patience(uint64_t switches) { terrace_sim_set("switch_budget", switches); }
CASE(look_ahead) {
    unsigned flags[20] = {0};
    patience(20000);
    LAUNCH(look_ahead, 20, 4, 0, flags)
    show(flags, 2);
}
CASE(spin) { int flag = 0; patience(20000); LAUNCH(spin, 3, 32, 0, &flag) printf("done\n"); }
CASE(spin_together) { int flag = 0; patience(20000); LAUNCH(spin_together, 3, 32, 0, &flag) printf("done\n"); }
CASE(lock) { int mutex = 0, count = 0; LAUNCH(lock, 5, 33, 0, &mutex, &count) show(&count, 1); }
CASE(unlocked) { int count = 0; LAUNCH(unlocked, 5, 33, 0, &count) show(&count, 1); }
CASE(histogram) {
    unsigned counts[5] = {0};
    int least = 99;
    unsigned long long total = 0;
    for (int i = 0; i < N; i++) a[i] = i * 7 % 11 + 1;
    LAUNCH(histogram, 30, 128, 0, a, counts, &least, &total, N)
    double all[7] = {(double)least, (double)total};
    for (int i = 0; i < 5; i++) all[2 + i] = counts[i];
    show(all, 7);
}
CASE(arrival) { float total = 0; LAUNCH(arrival, 4, 64, 0, &total) show(&total, 1); }
