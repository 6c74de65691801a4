// Cases of one block: barriers, shared memory, and what goes wrong with them.

// Sums 1 .. 96 for each block by halving, in shared memory.
#define HALVING(name, BARRIER)                                                  \
    extern "C" __global__ void __launch_bounds__(32) name(long long* sums) {    \
        __shared__ long long s[32];                                             \
        int t = threadIdx.x;                                                    \
        s[t] = t + 1 + (t + 33) + (t + 65) + 1000 * blockIdx.x;                 \
        __syncthreads();                                                        \
        for (int half = 16; half > 0; half /= 2) {                              \
            if (t < half) s[t] += s[t + half];                                  \
            BARRIER;                                                            \
        }                                                                       \
        if (t == 0) sums[blockIdx.x] = s[0];                                    \
    }                                                                           \
    TERRACE_SIM_KERNEL(name)
HALVING(halving, __syncthreads())
HALVING(halving_without_barrier, )

extern "C" __global__ void reverse_dynamic(const double* a, double* b) {
    TERRACE_DYNAMIC_SHARED(double, s);
    s[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    b[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
TERRACE_SIM_KERNEL(reverse_dynamic)

extern "C" __global__ void votes(int* out) {
    int t = threadIdx.x;
    int any = __syncthreads_or(t == 39), none = __syncthreads_or(t == 40);
    int all = __syncthreads_and(t < 40), most = __syncthreads_and(t < 39), count = __syncthreads_count(t % 3 == 0);
    if (t == 7) {
        out[0] = any; out[1] = none; out[2] = all; out[3] = most; out[4] = count;
    }
}
TERRACE_SIM_KERNEL(votes)

// Each block keeps its own copy while the others run: the fences invite them in.
extern "C" __global__ void keep_own(int* wrong) {
    __shared__ int s[8];
    s[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    for (int turn = 0; turn < 5; turn++) {
        __threadfence();
        if (s[threadIdx.x] != (int)(blockIdx.x * 100 + threadIdx.x)) atomicAdd(wrong, 1);
        __syncthreads();
    }
}
TERRACE_SIM_KERNEL(keep_own)

extern "C" __global__ void unwritten(unsigned* out) {
    __shared__ unsigned s[4];
    out[threadIdx.x] = s[threadIdx.x];
}
TERRACE_SIM_KERNEL(unwritten)

extern "C" __global__ void early_return(int n) {
    if ((int)threadIdx.x >= n) return;
    __syncthreads();
}
TERRACE_SIM_KERNEL(early_return)

extern "C" __global__ void two_barriers() {
    if (threadIdx.x < 16)
        __syncthreads();
    else
        __syncthreads();
}
TERRACE_SIM_KERNEL(two_barriers)

extern "C" __global__ void uneven_loop() {
    for (unsigned i = 0; i < threadIdx.x / 4; i++) __syncthreads();
}
TERRACE_SIM_KERNEL(uneven_loop)

extern "C" __global__ void nothing() {}
TERRACE_SIM_KERNEL(nothing)

extern "C" __global__ void trap(int n) {
    if ((int)threadIdx.x == n) __trap();
}
TERRACE_SIM_KERNEL(trap)

#include "driver.h"

CASE(halving) { long long sums[20]; LAUNCH(halving, 20, 32, 0, sums) show(sums, 3); }
CASE(halving_without_barrier) { long long sums[20]; LAUNCH(halving_without_barrier, 20, 32, 0, sums) show(sums, 3); }
CASE(reverse_dynamic) {
    double a[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, b[12];
    LAUNCH(reverse_dynamic, 3, 4, 4 * sizeof(double), a, b)
    show(b, 12);
}
CASE(dynamic_too_small) {
    double a[12] = {0}, b[12];
    LAUNCH(reverse_dynamic, 3, 4, 3 * sizeof(double), a, b)
    show(b, 12);
}
CASE(votes) { int out[5]; LAUNCH(votes, 1, 40, 0, out) show(out, 5); }
CASE(keep_own) { int wrong = 0; LAUNCH(keep_own, 30, 8, 0, &wrong) show(&wrong, 1); }
CASE(unwritten) { unsigned out[4]; LAUNCH(unwritten, 1, 4, 0, out) show(out, 4); }
CASE(early_return) { LAUNCH(early_return, 5, 32, 0, 31) printf("done\n"); }
CASE(two_barriers) { LAUNCH(two_barriers, 1, 32, 0, 0) printf("done\n"); }
CASE(uneven_loop) { LAUNCH(uneven_loop, 1, 8, 0, 0) printf("done\n"); }
CASE(empty_grid) { LAUNCH(nothing, 0, 32, 0, 0) printf("done\n"); }
CASE(big_block) { LAUNCH(nothing, 1, 1025, 0, 0) printf("done\n"); }
CASE(trap) { LAUNCH(trap, 1, 64, 0, 40) printf("done\n"); }
// A failed launch leaves threads behind in the middle of their work; the next launch must not find them.
CASE(after_failure) {
    launch_with(early_return__sim, 5, 32, 0, 31);
    long long sums[20];
    LAUNCH(halving, 20, 32, 0, sums)
    show(sums, 3);
}
CASE(wide_block) { LAUNCH(early_return, 9, 1024, 0, 1024) printf("done\n"); }
