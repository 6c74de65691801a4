// Cases of one warp: shuffles, votes, masks.

#define FULL 0xffffffffu

// Inclusive sums of each warp.
extern "C" __global__ void warp_scan(const double* a, double* b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    double x = a[i];
    for (int d = 1; d < 32; d *= 2) {
        double y = __shfl_up_sync(FULL, x, d);
        if (lane >= d) x += y;
    }
    b[i] = x;
}
TERRACE_SIM_KERNEL(warp_scan)

// The same in shared memory, where each step needs two meetings.
#define SHARED_SCAN(name, BARRIER)                                  \
    extern "C" __global__ void name(const double* a, double* b) {   \
        __shared__ double s[64];                                    \
        int t = threadIdx.x, lane = t & 31;                         \
        s[t] = a[t];                                                \
        __syncwarp();                                               \
        for (int d = 1; d < 32; d *= 2) {                           \
            double y = lane >= d ? s[t - d] : 0;                    \
            BARRIER;                                                \
            s[t] += y;                                              \
            __syncwarp();                                           \
        }                                                           \
        b[t] = s[t];                                                \
    }                                                               \
    TERRACE_SIM_KERNEL(name)
SHARED_SCAN(shared_scan, __syncwarp())
SHARED_SCAN(shared_scan_without_barrier, )

extern "C" __global__ void shuffles(int* out) {
    int lane = threadIdx.x;
    int from = __shfl_sync(FULL, lane, 5), within = __shfl_sync(FULL, lane, 9, 8);
    int up = __shfl_up_sync(FULL, lane, 3, 8), down = __shfl_down_sync(FULL, lane, 3, 8);
    int crossed = __shfl_xor_sync(FULL, lane, 1), outside = __shfl_xor_sync(FULL, lane, 8, 8);
    long long wide = __shfl_down_sync(FULL, (long long)lane << 40, 1);
    float real = __shfl_up_sync(FULL, 0.5f * lane, 1);
    if (lane == 14) {
        out[0] = from; out[1] = within; out[2] = up; out[3] = down; out[4] = crossed; out[5] = outside;
        out[6] = (int)(wide >> 40); out[7] = (int)(2 * real);
    }
    if (lane == 17) { out[8] = up; out[9] = outside; }
}
TERRACE_SIM_KERNEL(shuffles)

extern "C" __global__ void warp_votes(unsigned* out) {
    int lane = threadIdx.x;
    unsigned odd = __ballot_sync(FULL, lane & 1), alike = __match_any_sync(FULL, lane % 4);
    int some = __any_sync(FULL, lane == 31), every = __all_sync(FULL, lane < 31);
    unsigned sum = __reduce_add_sync(FULL, (unsigned)lane);
    int least = __reduce_min_sync(FULL, 10 - lane);
    if (lane == 6) {
        out[0] = odd; out[1] = alike; out[2] = some; out[3] = every; out[4] = sum; out[5] = (unsigned)-least;
        out[6] = __activemask() >> 6 & 1;
    }
}
TERRACE_SIM_KERNEL(warp_votes)

// Two halves that meet separately, and a last warp of eight lanes named by a full mask.
extern "C" __global__ void halves(int* out) {
    int lane = threadIdx.x & 31, sum = threadIdx.x;
    unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    if (threadIdx.x < 32) {
        if (lane < 16)
            for (int d = 8; d > 0; d /= 2) sum += __shfl_xor_sync(mask, sum, d);
        else
            sum = (int)__ballot_sync(mask, lane % 5 == 0);
    } else {
        sum = __popc(__ballot_sync(FULL, 1));
    }
    out[threadIdx.x] = sum;
}
TERRACE_SIM_KERNEL(halves)

extern "C" __global__ void outside_mask(int* out) {
    int lane = threadIdx.x;
    if (lane < 8) out[lane] = __shfl_down_sync(0xffu, lane, 4);
}
TERRACE_SIM_KERNEL(outside_mask)

extern "C" __global__ void lane_gone(int* out) {
    if (threadIdx.x == 9) return;
    out[threadIdx.x] = __shfl_sync(FULL, 1, 0);
}
TERRACE_SIM_KERNEL(lane_gone)

extern "C" __global__ void lane_elsewhere(int* out) {
    if (threadIdx.x == 9) __syncthreads();
    out[threadIdx.x] = __shfl_sync(FULL, 1, 0);
}
TERRACE_SIM_KERNEL(lane_elsewhere)

extern "C" __global__ void not_in_mask(int* out) { out[threadIdx.x] = __any_sync(0xfu, 1); }
TERRACE_SIM_KERNEL(not_in_mask)

#include "driver.h"

static double a[64], b[64];
static void fill() { for (int i = 0; i < 64; i++) a[i] = (i * 5 % 7) / 8.0; }
CASE(warp_scan) { fill(); LAUNCH(warp_scan, 2, 32, 0, a, b) show(b + 29, 5); }
CASE(shared_scan) { fill(); LAUNCH(shared_scan, 1, 64, 0, a, b) show(b + 29, 5); }
CASE(shared_scan_without_barrier) { fill(); LAUNCH(shared_scan_without_barrier, 1, 64, 0, a, b) show(b + 29, 5); }
CASE(shuffles) { int out[10]; LAUNCH(shuffles, 1, 32, 0, out) show(out, 10); }
CASE(warp_votes) { unsigned out[7]; LAUNCH(warp_votes, 1, 32, 0, out) show(out, 7); }
CASE(halves) { int out[40]; LAUNCH(halves, 1, 40, 0, out) int some[] = {out[3], out[20], out[33]}; show(some, 3); }
CASE(outside_mask) { int out[8]; LAUNCH(outside_mask, 1, 32, 0, out) show(out, 8); }
CASE(lane_gone) { int out[32]; LAUNCH(lane_gone, 1, 32, 0, out) show(out, 1); }
CASE(lane_elsewhere) { int out[32]; LAUNCH(lane_elsewhere, 1, 32, 0, out) show(out, 1); }
CASE(not_in_mask) { int out[32]; LAUNCH(not_in_mask, 1, 32, 0, out) show(out, 1); }
