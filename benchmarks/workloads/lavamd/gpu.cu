// Particles in boxes: a thread per particle that walks the boxes around; and a block per box, which brings the particles of one neighbour after the other to shared memory.
#include "peer.cuh"

struct Particle {
    double v, x, y, z, q;
};
const int PART = 128;

__host__ __device__ inline void pull(const Particle& a, const Particle& o, double s[4]) {
    const double potential = o.q * exp(-0.5 * (a.v + o.v - (a.x * o.x + a.y * o.y + a.z * o.z))), force = 2.0 * potential;
    s[0] += potential;
    s[1] += force * (a.x - o.x);
    s[2] += force * (a.y - o.y);
    s[3] += force * (a.z - o.z);
}

/// The k-th of 27 boxes around, or -1 outside.
__host__ __device__ inline int64_t around(int64_t side, int64_t b, int k) {
    const int64_t i = b / side / side + k / 9 - 1, j = b / side % side + k / 3 % 3 - 1, l = b % side + k % 3 - 1;
    return i < 0 || i >= side || j < 0 || j >= side || l < 0 || l >= side ? -1 : (i * side + j) * side + l;
}

__global__ void block_per_box(int64_t side, const int64_t* off, const Particle* all, double* out, int64_t count) {
    __shared__ Particle near[PART];
    const int64_t b = blockIdx.x;
    for (int64_t first = off[b]; first < off[b + 1]; first += blockDim.x) {
        const int64_t mine = first + threadIdx.x;
        const bool there = mine < off[b + 1];
        const Particle a = all[there ? mine : first];
        double s[4] = {0, 0, 0, 0};
        for (int k = 0; k < 27; k++) {
            const int64_t other = around(side, b, k);
            if (other < 0) continue;
            for (int64_t from = off[other]; from < off[other + 1]; from += PART) {
                const int64_t many = min(int64_t(PART), off[other + 1] - from);
                __syncthreads();
                for (int64_t q = threadIdx.x; q < many; q += blockDim.x) near[q] = all[from + q];
                __syncthreads();
                for (int64_t q = 0; q < many; q++) pull(a, near[q], s);
            }
        }
        if (there)
            for (int k = 0; k < 4; k++) out[k * count + mine] = s[k];
    }
}

int main(int argc, char** argv) {
    const bool equal = argc > 1 && std::string(argv[1]) == "equal";
    const int64_t side = argument(argc, argv, 2), n = argument(argc, argv, 3), boxes = side * side * side;
    int64_t* off = offsets_of(boxes, [=] __device__(int64_t i) { return equal ? n : hash(i + 77) % (2 * n + 1); });
    const int64_t count = last_of(off, boxes);
    Particle* all = array<Particle>(count);
    int32_t* box = array<int32_t>(count);
    each_element(boxes, off, [=] __device__(int64_t b, int64_t j, int64_t q) {
        const int64_t seed = 5 * (1000 * b + j);
        const auto part = [=](int k) { return double(hash(seed + k) % 64) / 64.0; };
        all[q] = {1.0 + part(0), part(1), part(2), part(3), part(4)};
        box[q] = int32_t(b);
    });
    double* out = array<double>(4 * count);
    const auto sums = [=] {
        std::vector<Sums> found;
        for (int k = 0; k < 4; k++) found.push_back(sums_of(out + k * count, count));
        return found;
    };
    measure("cuda", "a thread per particle", [=] {
        each(count, [=] __device__(int64_t q) {
            const Particle a = all[q];
            double s[4] = {0, 0, 0, 0};
            for (int k = 0; k < 27; k++) {
                const int64_t other = around(side, box[q], k);
                if (other < 0) continue;
                for (int64_t o = off[other]; o < off[other + 1]; o++) pull(a, all[o], s);
            }
            for (int k = 0; k < 4; k++) out[k * count + q] = s[k];
        });
    }, sums);
    const int threads = n >= 64 ? 128 : n >= 24 ? 64 : 32;
    measure("cuda", "a block per box", [=] { block_per_box<<<unsigned(boxes), threads>>>(side, off, all, out, count); }, sums);
}
