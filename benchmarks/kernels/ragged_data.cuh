// Ragged shapes for checks and measurements: offsets of rows, with a stated total.
//
// The power laws draw lengths u^(-1/1.3), scale them to the wanted total and add one row of a stated length in the middle;
// rounding is settled on the last rows. Columns of matrices are uniform, or those of a 27-point stencil.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "bench.cuh"

struct Rows {
    std::string name;
    std::vector<int> offsets;
    int rows() const { return int(offsets.size()) - 1; }
    int elements() const { return offsets.back(); }
};

inline Rows rows_of_lengths(const std::string& name, const std::vector<int>& lengths) {
    Rows made{name, std::vector<int>(lengths.size() + 1, 0)};
    for (size_t i = 0; i < lengths.size(); i++) made.offsets[i + 1] = made.offsets[i] + lengths[i];
    return made;
}

/// Adds to or takes from the last rows until the lengths sum to `total`; a row that is zero stays zero.
inline void settle(std::vector<int>& lengths, long long total) {
    long long sum = 0;
    for (int length : lengths) sum += length;
    for (size_t i = lengths.size(); i-- > 0 && sum != total;) {
        if (lengths[i] == 0) continue;
        const long long change = std::max<long long>(1 - lengths[i], std::min<long long>(total - sum, 1000));
        lengths[i] += int(change);
        sum += change;
    }
}

inline Rows equal_rows(const std::string& name, int rows, int length) {
    return rows_of_lengths(name, std::vector<int>(rows, length));
}

inline Rows power_law(const std::string& name, int rows, long long total, int longest) {
    std::vector<double> raw(rows);
    double sum = 0;
    for (int i = 0; i < rows; i++) sum += raw[i] = std::pow((scramble(7 * uint64_t(i) + 3) + 1.0) / 4294967297.0, -1 / 1.3);
    std::vector<int> lengths(rows);
    const double scale = double(total - longest) / sum;
    for (int i = 0; i < rows; i++) lengths[i] = std::max(1, int(std::min(raw[i] * scale, longest * 0.7)));
    settle(lengths, total - longest + lengths[rows / 2]);
    lengths[rows / 2] = longest;
    return rows_of_lengths(name, lengths);
}

inline Rows half_empty(const std::string& name, int rows, long long total) {
    std::vector<int> lengths(rows);
    const unsigned mean = unsigned(total / (rows / 2));
    std::vector<int> filled;
    for (int i = 0; i < rows; i++) lengths[i] = scramble(i) & 1 ? 1 + int(scramble(i + 77777777ull) % (2 * mean - 1)) : 0;
    settle(lengths, total);
    return rows_of_lengths(name, lengths);
}

/// Small shapes that have gone wrong for somebody.
inline std::vector<Rows> awkward_rows() {
    std::vector<Rows> all;
    all.push_back(equal_rows("no rows", 0, 0));
    all.push_back(equal_rows("one empty row", 1, 0));
    all.push_back(equal_rows("one row of one", 1, 1));
    all.push_back(equal_rows("one row of 1000003", 1, 1000003));
    all.push_back(equal_rows("1000003 rows of one", 1000003, 1));
    all.push_back(equal_rows("100000 empty rows", 100000, 0));
    all.push_back(equal_rows("rows of 3", 100001, 3));
    all.push_back(equal_rows("rows of 128", 5000, 128));
    all.push_back(equal_rows("rows of 4095", 301, 4095));
    for (int place = 0; place < 3; place++) {
        std::vector<int> lengths(1000001, 0);
        lengths[place * 500000] = 1000000;
        all.push_back(rows_of_lengths(text("a million beside a million empty rows, at %d", place * 500000), lengths));
    }
    std::vector<int> mixed;
    for (int i = 0; i < 200000; i++) mixed.push_back(scramble(i) % 50 == 0 ? int(scramble(i + 1) % 3000) : int(scramble(i + 2) % 4));
    all.push_back(rows_of_lengths("mixed", mixed));
    return all;
}
