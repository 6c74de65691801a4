// Fourier transforms of many square images with cuFFT (-DNO_CUFFT leaves it out; then there is no peer). The library's numbers are interleaved;
// what is compared are the imaginary parts, as a column of their own.
#include "peer.cuh"

#ifndef NO_CUFFT
#include <cufft.h>
#endif

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1), m = argument(argc, argv, 2), count = n * m * m;
#ifndef NO_CUFFT
    cufftComplex *in = array<cufftComplex>(count), *spectrum = array<cufftComplex>(count);
    float* out = array<float>(count);
    each(count, [=] __device__(int64_t i) { in[i] = make_float2(float(hash(i) % 8) / 8.0f, float(hash(i + 3) % 8) / 8.0f); });
    int sides[2] = {int(m), int(m)};
    cufftHandle plan;
    cufftResult s = cufftPlanMany(&plan, 2, sides, nullptr, 1, int(m * m), nullptr, 1, int(m * m), CUFFT_C2C, int(n));
    if (s != CUFFT_SUCCESS) {
        fprintf(stderr, "cufftPlanMany: %d\n", int(s));
        return 1;
    }
    const auto column = [=] {
        each(count, [=] __device__(int64_t i) { out[i] = spectrum[i].y; });
        return count;
    };
    measure("cufft", "C2C, a batch", [=] {
        const cufftResult s = cufftExecC2C(plan, in, spectrum, CUFFT_FORWARD);
        if (s != CUFFT_SUCCESS) fprintf(stderr, "cufftExecC2C: %d\n", int(s));
    }, out, column, count);
#else
    (void)count;
#endif
}
