// The templates on a CPU: tiny tiles, every small size, several schedules.
//
// The emulation of crates/testkit/cuda_sim gives CUDA text a host compiler's meaning. A tile here is 32 to 64 threads with one
// row each, so a few thousand elements cross every border (lane, row, warp, window, tile, group of 32 tiles, 1024 tiles), and the
// seed draws who runs first. Float data are multiples of 1/8, exactly summable, so any wrong sum shows as a wrong bit.
//
//     g++ -O1 -std=c++17 -ffp-contract=off -I../../crates/testkit/cuda_sim host_check.cpp -o /tmp/host_check -lpthread
#include "terrace_cuda_sim.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "pack.cuh"
#include "radix_sort.cuh"
#include "ragged_map.cuh"
#include "scan.cuh"
#include "segmented_reduce.cuh"

struct Odd {
    bool operator()(int x) const { return x & 1; }
};
struct Scale {
    float operator()(float row, float x) const { return row * x + 1.0f; }
};
using SmallScan = ScanShape<64, 1>;
using TallScan = ScanShape<32, 3>;
using SmallPack = PackShape<64, 2>;
using TallPack = PackShape<32, 6>;
using SmallRows = SegmentShape<64, 1, 2>;
using TallRows = SegmentShape<32, 4, 3, 1, true>;
using EarlyRows = SegmentShape<64, 2, 3, 1, true>;
using SmallMap = MapShape<64, 1, 2>;
using TallMap = MapShape<32, 2, 1>;
using SmallSort = SortShape<64, 2>;
using MatchSort = SortShape<32, 3, Rank::match>;
using MarkSort = SortShape<64, 3, Rank::marks>;

#define SCAN(name, T, Shape)                                                                               \
    void name(const T* in, T* out, size_t n, unsigned* counter, LookBack<T> space) {                        \
        __shared__ ScanShared<T, Shape> shared;                                                             \
        scan_tile<T, Plus, Shape>(shared, in, out, n, counter, space);                                      \
    }                                                                                                       \
    TERRACE_SIM_KERNEL(name)
SCAN(scan_int, int, SmallScan)
SCAN(scan_float, float, TallScan)
SCAN(scan_double, double, SmallScan)

#define PACK(name, Shape)                                                                                   \
    void name(const int* in, int* out, unsigned* kept, size_t n, Odd keep, unsigned* counter, LookBack<unsigned> space) { \
        __shared__ PackShared<int, Shape> shared;                                                           \
        pack_tile<int, Odd, Shape>(shared, in, out, kept, n, keep, counter, space);                         \
    }                                                                                                       \
    TERRACE_SIM_KERNEL(name)
PACK(pack_small, SmallPack)
PACK(pack_tall, TallPack)

#define REDUCE(name, Source, Shape)                                                                         \
    void name(Source source, const int* offsets, Source::Value* out, int rows, int elements, unsigned* counter, \
              LookBack<Source::Value> space) {                                                              \
        __shared__ SegmentShared<Source::Value, Shape> shared;                                              \
        segmented_reduce_tile<Source, Plus, Shape>(shared, source, offsets, out, rows, elements, counter, space); \
    }                                                                                                       \
    TERRACE_SIM_KERNEL(name)
REDUCE(reduce_small, PlainElements<float>, SmallRows)
REDUCE(reduce_tall, PlainElements<float>, TallRows)
REDUCE(spmv_small, MatrixProducts<double>, SmallRows)
REDUCE(spmv_early, MatrixProducts<double>, EarlyRows)

#define MAP(name, Shape)                                                                                    \
    void name(const int* offsets, const float* values, const float* data, float* out, int rows, int elements) { \
        __shared__ MapShared<Shape> shared;                                                                 \
        ragged_map_tile<float, float, float, Scale, Shape>(shared, offsets, values, data, out, rows, elements, Scale()); \
    }                                                                                                       \
    TERRACE_SIM_KERNEL(name)
MAP(map_small, SmallMap)
MAP(map_tall, TallMap)

#define SORT(name, Shape)                                                                                   \
    void name(const unsigned* in, unsigned* out, unsigned n, int shift, const unsigned* starts, unsigned* counter, \
              SortSpace space) {                                                                            \
        __shared__ SortShared<Shape> shared;                                                                \
        sort_tile<Shape>(shared, in, out, n, shift, starts, counter, space);                                \
    }                                                                                                       \
    TERRACE_SIM_KERNEL(name)
SORT(sort_ballots, SmallSort)
SORT(sort_match, MatchSort)
SORT(sort_marks, MarkSort)
void count_keys(const unsigned* in, size_t n, unsigned* counts) {
    __shared__ CountShared shared;
    count_digits_block(shared, in, n, counts);
}
TERRACE_SIM_KERNEL(count_keys)
void start_keys(unsigned* counts) { start_digits_block(counts); }
TERRACE_SIM_KERNEL(start_keys)

using Launch = int (*)(unsigned, unsigned, unsigned, void**, uint64_t, char*, size_t);

static int failures = 0, checks = 0;
static uint64_t draw_state = 1;
static unsigned draw(unsigned below) { return unsigned(terrace_sim::spread(draw_state++) % below); }

static void expect(bool good, const char* what, size_t n, uint64_t seed) {
    checks++;
    if (good) return;
    failures++;
    if (failures < 40) printf("FAILED %s n=%zu seed=%llu\n", what, n, (unsigned long long)seed);
}

template <class... A>
static void start(Launch launch, size_t grid, int block, uint64_t seed, A... args) {
    void* pointers[] = {&args...};
    char message[400];
    if (launch(unsigned(grid), unsigned(block), 0, pointers, seed, message, sizeof message)) {
        failures++;
        printf("FAILED %s\n", message);
    }
}

template <class T>
struct Aligned { // 16-byte aligned, poisoned
    std::vector<uint4> room;
    explicit Aligned(size_t n) : room((n * sizeof(T) + 15) / 16 + 1) { memset(room.data(), 0xa5, room.size() * 16); }
    T* data() { return reinterpret_cast<T*>(room.data()); }
    T& operator[](size_t i) { return data()[i]; }
};

template <class T, class Shape>
static void check_scan(const char* what, Launch launch, size_t n, uint64_t seed) {
    const size_t tile = Shape::template tile<T>(), tiles = (n + tile - 1) / tile;
    if (tiles == 0) return;
    Aligned<T> in(n), out(n + 1);
    for (size_t i = 0; i < n; i++) in[i] = T(int(draw(64)) - 20) / T(sizeof(T) == 4 && T(1) / 2 == 0 ? 1 : 8);
    std::vector<Word> words(LookBack<T>::word_count(tiles), 0);
    unsigned counter = 0;
    const T poison = out[n];
    start(launch, tiles, Shape::threads, seed, (const T*)in.data(), out.data(), n, &counter, LookBack<T>{words.data(), unsigned(tiles)});
    T sum = 0;
    bool good = true;
    for (size_t i = 0; i < n; i++) good = good && out[i] == (sum += in[i]);
    expect(good && memcmp(&poison, &out[n], sizeof(T)) == 0, what, n, seed);
}

template <class Shape>
static void check_pack(const char* what, Launch launch, size_t n, uint64_t seed, unsigned odds) {
    const size_t tile = Shape::template tile<int>(), tiles = (n + tile - 1) / tile;
    if (tiles == 0) return;
    Aligned<int> in(n), out(n + 1);
    std::vector<int> want;
    for (size_t i = 0; i < n; i++) {
        in[i] = int(2 * i + (draw(100) < odds));
        if (in[i] & 1) want.push_back(in[i]);
    }
    std::vector<Word> words(LookBack<unsigned>::word_count(tiles), 0);
    unsigned counter = 0, kept = 12345;
    start(launch, tiles, Shape::threads, seed, (const int*)in.data(), out.data(), &kept, n, Odd(), &counter,
          LookBack<unsigned>{words.data(), unsigned(tiles)});
    bool good = kept == want.size() && out[want.size()] == int(0xa5a5a5a5);
    for (size_t i = 0; good && i < want.size(); i++) good = out[i] == want[i];
    expect(good, what, n, seed);
}

static std::vector<int> make_offsets(int kind, int rows) {
    std::vector<int> offsets(1, 0);
    for (int i = 0; i < rows; i++) {
        int length = 0;
        if (kind == 0) length = int(draw(4));
        if (kind == 1) length = i == rows / 2 ? 5000 : 0;
        if (kind == 2) length = draw(2) ? 0 : int(draw(12));
        if (kind == 3) length = draw(20) == 0 ? int(draw(900)) : int(draw(3));
        if (kind == 4) length = 4;
        if (kind == 5) length = i == 0 ? 40000 : 1;
        if (kind == 6) length = 128;
        offsets.push_back(offsets.back() + length);
    }
    return offsets;
}

template <class Shape>
static void check_reduce(const char* what, Launch launch, int kind, int rows, uint64_t seed) {
    std::vector<int> offsets = make_offsets(kind, rows);
    const int n = offsets.back();
    const size_t tiles = (size_t(rows) + n + Shape::tile - 1) / Shape::tile;
    if (tiles == 0) return;
    Aligned<float> data(n), out(rows + 1);
    for (int j = 0; j < n; j++) data[j] = float(int(draw(64)) - 20) / 8;
    std::vector<Word> words(LookBack<float>::word_count(tiles), 0);
    unsigned counter = 0;
    start(launch, tiles, Shape::threads, seed, PlainElements<float>{data.data()}, (const int*)offsets.data(), out.data(), rows, n,
          &counter, LookBack<float>{words.data(), unsigned(tiles)});
    bool good = *(unsigned*)&out[rows] == 0xa5a5a5a5u;
    for (int i = 0; i < rows; i++) {
        float sum = 0;
        for (int j = offsets[i]; j < offsets[i + 1]; j++) sum += data[j];
        good = good && out[i] == sum;
    }
    expect(good, what, size_t(kind) * 1000000 + rows, seed);
}

template <class Shape>
static void check_spmv(const char* what, Launch launch, int kind, int rows, uint64_t seed) {
    std::vector<int> offsets = make_offsets(kind, rows);
    const int n = offsets.back();
    const size_t tiles = (size_t(rows) + n + Shape::tile - 1) / Shape::tile;
    if (tiles == 0) return;
    Aligned<double> entries(n), vector(rows + 1), out(rows + 1);
    Aligned<int> columns(n);
    for (int i = 0; i < rows; i++) vector[i] = double(draw(64)) / 8;
    for (int j = 0; j < n; j++) entries[j] = double(int(draw(64)) - 20) / 8, columns[j] = int(draw(rows));
    std::vector<Word> words(LookBack<double>::word_count(tiles), 0);
    unsigned counter = 0;
    start(launch, tiles, Shape::threads, seed, MatrixProducts<double>{entries.data(), columns.data(), vector.data()},
          (const int*)offsets.data(), out.data(), rows, n, &counter, LookBack<double>{words.data(), unsigned(tiles)});
    bool good = true;
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = offsets[i]; j < offsets[i + 1]; j++) sum += entries[j] * vector[columns[j]];
        good = good && out[i] == sum;
    }
    expect(good, what, size_t(kind) * 1000000 + rows, seed);
}

template <class Shape>
static void check_map(const char* what, Launch launch, int kind, int rows, uint64_t seed) {
    std::vector<int> offsets = make_offsets(kind, rows);
    const int n = offsets.back();
    const size_t tiles = (size_t(rows) + n + Shape::tile - 1) / Shape::tile;
    if (tiles == 0) return;
    Aligned<float> data(n), values(rows), out(n + 1);
    for (int j = 0; j < n; j++) data[j] = float(int(draw(64)) - 20) / 8;
    for (int i = 0; i < rows; i++) values[i] = float(i % 1000);
    start(launch, tiles, Shape::threads, seed, (const int*)offsets.data(), (const float*)values.data(), (const float*)data.data(),
          out.data(), rows, n);
    bool good = *(unsigned*)&out[n] == 0xa5a5a5a5u;
    for (int i = 0; i < rows; i++)
        for (int j = offsets[i]; j < offsets[i + 1]; j++) good = good && out[j] == values[i] * data[j] + 1.0f;
    expect(good, what, size_t(kind) * 1000000 + rows, seed);
}

template <class Shape>
static void check_sort(const char* what, Launch launch, unsigned n, uint64_t seed, unsigned spread) {
    const size_t tiles = (n + Shape::tile - 1) / Shape::tile;
    if (tiles == 0) return;
    Aligned<unsigned> a(n), b(n + 1);
    std::vector<unsigned> want;
    for (unsigned i = 0; i < n; i++) want.push_back(a[i] = spread ? draw(spread) : unsigned(terrace_sim::spread(draw_state++)));
    std::sort(want.begin(), want.end());
    std::vector<unsigned> counts(SORT_PASSES * DIGITS, 0), words(SortSpace::word_count(tiles));
    start(count_keys__sim, 3, 64, seed, (const unsigned*)a.data(), size_t(n), counts.data());
    start(start_keys__sim, 1, 128, seed, counts.data());
    unsigned *from = a.data(), *to = b.data();
    for (int pass = 0; pass < SORT_PASSES; pass++) {
        std::fill(words.begin(), words.end(), 0);
        unsigned counter = 0;
        start(launch, tiles, Shape::threads, seed, (const unsigned*)from, to, n, pass * DIGIT_BITS,
              (const unsigned*)counts.data() + pass * DIGITS, &counter, SortSpace{words.data(), unsigned(tiles)});
        std::swap(from, to);
    }
    bool good = b[n] == 0xa5a5a5a5u;
    for (unsigned i = 0; i < n; i++) good = good && from[i] == want[i];
    expect(good, what, n, seed);
}

int main(int argc, char** argv) {
    const uint64_t seeds = argc > 1 ? strtoull(argv[1], nullptr, 10) : 4;
    terrace_sim_set("switch_budget", 1000000000);
    for (uint64_t seed = 0; seed < seeds; seed++) {
        for (size_t n : {0, 1, 2, 3, 31, 127, 255, 256, 257, 1000, 4097, 9001}) {
            check_scan<int, SmallScan>("scan i32", scan_int__sim, n, seed);
            check_scan<float, TallScan>("scan f32", scan_float__sim, n, seed);
            check_scan<double, SmallScan>("scan f64", scan_double__sim, n, seed);
            for (unsigned odds : {50, 0, 100}) {
                check_pack<SmallPack>("pack", pack_small__sim, n, seed, odds);
                check_pack<TallPack>("pack tall", pack_tall__sim, n, seed, odds);
            }
            for (unsigned spread : {0, 1, 300}) {
                check_sort<SmallSort>("sort ballots", sort_ballots__sim, unsigned(n), seed, spread);
                check_sort<MatchSort>("sort match", sort_match__sim, unsigned(n), seed, spread);
                check_sort<MarkSort>("sort marks", sort_marks__sim, unsigned(n), seed, spread);
            }
        }
        for (int kind = 0; kind < 7; kind++)
            for (int rows : {1, 2, 3, 40, 300, 2500}) {
                check_reduce<SmallRows>("reduce", reduce_small__sim, kind, rows, seed);
                check_reduce<TallRows>("reduce tall", reduce_tall__sim, kind, rows, seed);
                check_spmv<SmallRows>("spmv", spmv_small__sim, kind, rows, seed);
                check_spmv<EarlyRows>("spmv early", spmv_early__sim, kind, rows, seed);
                check_map<SmallMap>("map", map_small__sim, kind, rows, seed);
                check_map<TallMap>("map tall", map_tall__sim, kind, rows, seed);
            }
        printf("seed %llu: %d checks, %d failures\n", (unsigned long long)seed, checks, failures);
        fflush(stdout);
    }
    // More than 1024 tiles (and 512 of the sort), so that the topmost words are used.
    check_scan<int, SmallScan>("scan i32", scan_int__sim, 256 * 2100 + 5, 2);
    check_scan<float, TallScan>("scan f32", scan_float__sim, 384 * 1100 + 5, 2);
    check_pack<SmallPack>("pack", pack_small__sim, 512 * 1100 + 7, 3, 50);
    check_reduce<SmallRows>("reduce", reduce_small__sim, 0, 300000, 2);
    check_reduce<TallRows>("reduce", reduce_tall__sim, 5, 300000, 3);
    check_sort<SmallSort>("sort ballots", sort_ballots__sim, 128 * 1100 + 3, 2, 0);
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}
