// The CUDA simulator: CUDA C kernels given a host compiler's meaning, so that they run on the CPU.
//
// The same text that a GPU would compile is compiled as C++ behind this header. Each kernel then has a launcher that
// runs the whole grid on one CPU thread, in an order drawn from a seed:
//
//     extern "C" __global__ void twice(const int* a, int* b, int n) {     // twice.cu
//         int i = blockIdx.x * blockDim.x + threadIdx.x;
//         if (i < n) b[i] = 2 * a[i];
//     }
//     TERRACE_SIM_KERNEL(twice)                                           // makes the function twice__sim
//
//     c++ -std=c++17 -O1 -fPIC -shared -ffp-contract=off -fno-strict-aliasing -fno-exceptions
//         -fvisibility=hidden -Werror=frame-larger-than=65536 -include terrace_cuda_sim.h -x c++ twice.cu -o twice.so
//     twice__sim(grid, block, dynamic_shared_bytes, args, seed, message, message_len)   // 0: every thread finished
//
// A kernel that is right gives the same answer for every seed. One that misses a barrier gives different answers
// (compare seeds 0, ascending order, and 1, descending, first); one whose threads disagree about a barrier, or that
// waits for ever, gives a message.
//
// It declines to be a GPU: one dimension only, no lockstep warps, sequentially consistent memory (a missing
// __threadfence goes unseen), plain loads and stores never interleave in the middle of a stretch without meeting
// points, and nothing checks addresses.
//
// The parts, in reading order. They do not include each other, so they can also be pasted together in this order.
#pragma once
#include "fibre.h"      // many stacks, one CPU thread
#include "schedule.h"   // blocks, barriers, warps, and who runs next
#include "vocabulary.h" // what CUDA C words mean here
#include "launch.h"     // from a list of argument pointers to a finished grid
