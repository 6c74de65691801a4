// Cases of single words: what the small functions return, and how arguments arrive.

struct Pair { int first; double second; };

extern "C" __global__ void arguments(const double* __restrict__ a, const long long n, float f, signed char c, bool yes,
                                     Pair pair, double* out) {
    out[0] = a[1]; out[1] = (double)n; out[2] = f; out[3] = c; out[4] = yes; out[5] = pair.first; out[6] = pair.second;
    out[7] = blockDim.x * 1000 + gridDim.x; out[8] = blockDim.y + gridDim.z + threadIdx.y + blockIdx.z;
}
TERRACE_SIM_KERNEL(arguments)

static __device__ __forceinline__ int twice(int x) { return 2 * x; }
template <class T> __device__ T thrice(T x) { return 3 * x; }

extern "C" __global__ void bits(double* out) {
    int i = 0;
    out[i++] = __popc(0xf0f0u); out[i++] = __popcll(~0ull); out[i++] = __clz(0); out[i++] = __clz(1);
    out[i++] = __clzll(1); out[i++] = __ffs(8); out[i++] = __ffs(0); out[i++] = __brev(1u);
    out[i++] = __funnelshift_l(0x80000000u, 1u, 1); out[i++] = __umulhi(1u << 31, 6u); out[i++] = __mulhi(-1, 1);
    out[i++] = (double)__mul64hi(1ll << 62, 8); out[i++] = __float_as_int(1.0f); out[i++] = __int_as_float(0x40000000);
    out[i++] = __longlong_as_double(__double_as_longlong(2.5)); out[i++] = twice(4) + thrice(5) + warpSize;
}
TERRACE_SIM_KERNEL(bits)

extern "C" __global__ void numbers(double* out, double nan) {
    int i = 0;
    out[i++] = min(3, -4); out[i++] = max(3u, 4u); out[i++] = (double)min(1ll << 40, 5ll); out[i++] = max(1.5, nan);
    out[i++] = __double2int_rz(1e30); out[i++] = __double2int_rz(-7.9); out[i++] = __float2int_rz((float)nan);
    out[i++] = __float2uint_rz(-3.0f); out[i++] = __double2ll_rz(-1e300) == (long long)(1ull << 63);
    out[i++] = __double2ll_rz(1e300) == 0x7fffffffffffffff;
    // 0x1.000001p0 squared needs 49 bits: a contracted multiply-add would not give zero, an explicit one does not.
    float x = 1.0f + 0x1p-23f, square = x * x;
    out[i++] = x * x - square; out[i++] = fmaf(x, x, -square) != 0;
    out[i++] = __fadd_rn(1.0f, 0x1p-25f); out[i++] = __dmul_rn(3, 0.5); out[i++] = sqrt(2.25) + fabs(-1.0) + floor(2.5);
    float4 v = make_float4(1, 2, 3, 4);
    longlong2 w = make_longlong2(5, 6);
    out[i++] = v.w + w.y + sizeof(float4) + sizeof(double2) + alignof(int4);
}
TERRACE_SIM_KERNEL(numbers)

#include "driver.h"

CASE(arguments) {
    double a[] = {1, 2.5}, out[9];
    Pair pair = {6, 7.5};
    LAUNCH(arguments, 3, 2, 0, a, (long long)1 << 40, 0.5f, (signed char)-3, true, pair, out)
    show(out, 9);
}
CASE(bits) { double out[16]; LAUNCH(bits, 1, 1, 0, out) show(out, 16); }
CASE(numbers) { double out[16]; LAUNCH(numbers, 1, 1, 0, out, (double)NAN) show(out, 16); }
