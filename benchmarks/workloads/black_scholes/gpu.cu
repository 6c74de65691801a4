// The price of a call and a put for each option, in f32 or f64: a thread per option.
#include "peer.cuh"

template <class T>
__device__ T below(T d) {
    const T k = T(1.0) / (T(1.0) + T(0.2316419) * fabs(d));
    const T poly = k * (T(0.31938153) + k * (-T(0.356563782) + k * (T(1.781477937) + k * (-T(1.821255978) + k * T(1.330274429)))));
    const T tail = T(0.3989422804014327) * exp(-T(0.5) * d * d) * poly;
    return d > T(0.0) ? T(1.0) - tail : tail;
}

template <class T>
__global__ void prices(int64_t n, T rate, T volatility, const T* stock, const T* strike, const T* years, T* call, T* put) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const T spread = volatility * sqrt(years[i]);
    const T d1 = (log(stock[i] / strike[i]) + (rate + T(0.5) * volatility * volatility) * years[i]) / spread, d2 = d1 - spread;
    const T now = strike[i] * exp(-rate * years[i]), n1 = below(d1), n2 = below(d2);
    call[i] = stock[i] * n1 - now * n2;
    put[i] = now * (T(1.0) - n2) - stock[i] * (T(1.0) - n1);
}

template <class T>
void run(int64_t n) {
    T *stock = array<T>(n), *strike = array<T>(n), *years = array<T>(n), *call = array<T>(n), *put = array<T>(n);
    each(n, [=] __device__(int64_t i) {
        const auto between = [](T low, T high, int64_t i) { return low + (high - low) * (T(hash(i) % 65536) / T(65536)); };
        stock[i] = between(T(5), T(30), i), strike[i] = between(T(1), T(100), i + 77), years[i] = between(T(0.25), T(10), i + 777);
    });
    for (int threads : {128, 256})
        measure("cuda", threads == 128 ? "blocks of 128" : "blocks of 256", [=] {
            prices<T><<<unsigned((n + threads - 1) / threads), threads>>>(n, T(0.02), T(0.3), stock, strike, years, call, put);
        }, put, [=] { return n; }, n);
}

int main(int argc, char** argv) {
    const std::string type = argc > 1 ? argv[1] : "";
    const int64_t n = argument(argc, argv, 2);
    if (type == "f32") run<float>(n);
    else run<double>(n);
}
