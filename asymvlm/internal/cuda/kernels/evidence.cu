// The kernels of ELIP's evidential loss and of ensembles of its adapters, after step.cu in the same module. All of the loss is in
// double: its parts cancel, see package evidence, which has the formulas.

#define HALF_LOG_TWO_PI 0.918938533204672742
#define MOST_SIMILAR 20  // where similarities are cut off

// log Γ(x), ψ(x) and ψ′(x) for x ≥ 1: Stirling's series from 15 on; below, the product of x, x+1, … and its two derivatives take
// it there (DLMF 5.5.1, 5.11.1, 5.11.2 and its derivative).
struct Polygamma {
    double logarithm, first, second;
};

static __device__ Polygamma polygamma_of(double x) {
    double product = 1, slope = 0, bend = 0;
    for (; x < 15; x += 1) {
        bend = bend * x + 2 * slope;
        slope = slope * x + product;
        product *= x;
    }
    slope /= product, bend /= product;
    double r = 1 / x, y = r * r, log_of = log(x);
    double series = ((((1. / 1188 * y - 1. / 1680) * y + 1. / 1260) * y - 1. / 360) * y + 1. / 12) * r;
    double first = ((((1. / 132 * y - 1. / 240) * y + 1. / 252) * y - 1. / 120) * y + 1. / 12) * y;
    double second = (((((5. / 66 * y - 1. / 30) * y + 1. / 42) * y - 1. / 30) * y + 1. / 6) * y + 0.5 * r + 1) * r;
    Polygamma g = {(x - 0.5) * log_of - x + HALF_LOG_TWO_PI + series - log(product), log_of - 0.5 * r - first - slope,
                   second + (slope * slope - bend)};
    return g;
}

// h(x) = log Γ(x) − (x−1) ψ(x) + x, and q(x) = (x−1) ψ′(x) − 1, which is −h′(x): without the parts that cancel. From 15 on by
// the series of package evidence.
struct Stable {
    double h, q;
};

static __device__ Stable stable_of(double x) {
    if (x < 15) {
        Polygamma g = polygamma_of(x);
        Stable s = {g.logarithm - (x - 1) * g.first + x, (x - 1) * g.second - 1};
        return s;
    }
    double r = 1 / x;
    double h = (((((((1. / 240 * r - 1. / 210) * r - 1. / 252) * r + 1. / 210) * r + 1. / 120) * r - 1. / 90) * r - 1. / 12) * r - 1. / 3) * r;
    double q = ((((((((1. / 30 * r - 1. / 30) * r - 1. / 42) * r + 1. / 42) * r + 1. / 30) * r - 1. / 30) * r - 1. / 6) * r - 1. / 3) * r - 0.5) * r;
    Stable s = {0.5 * log(x) + HALF_LOG_TWO_PI + 0.5 + h, q};
    return s;
}

// The evidence exp(ρ) of a similarity ρ, cut off; NaN where that is NaN or infinite.
static __device__ double evidence_of(double similarity) {
    if (!(similarity < INFINITE)) return similarity - similarity;
    return exp(similarity > MOST_SIMILAR ? (double)MOST_SIMILAR : similarity);
}

// What a query over the other side's pairs of the batch makes of all its candidates: its loss, and the slopes that its wrong
// candidates share and that the right one has, before the factor exp(ρ)/2B.
struct Query {
    double loss, wrong, right;
};

// The queries of a batch of cosines: those of the rows for blockIdx.y 0, and behind them those of the columns. A block of 128
// threads is a query.
extern "C" __global__ void evidence(Query* queries, const float* cosines, const float* temperature, const Plan* plans,
                                    const Control* control, int batch) {
    int query = blockIdx.x;
    long long first = blockIdx.y ? query : (long long)query * batch, apart = blockIdx.y ? batch : 1;
    double iota = *temperature, weight = plans[control->step].divergence, others = 0, stable = 0;
    for (int j = threadIdx.x; j < batch; j += blockDim.x) {
        if (j == query) continue;
        double e = evidence_of(iota * cosines[first + j * apart]);
        others += e;
        stable += stable_of(e + 1).h;
    }
    others = sum_of_shares(others);
    stable = sum_of_shares(stable);
    if (threadIdx.x != 0) return;
    double own = evidence_of(iota * cosines[first + query * apart]), least = others + batch;
    Polygamma all = polygamma_of(least + own), right = polygamma_of(own + 1), wrong = polygamma_of(least);
    Stable s = stable_of(least);
    double divergence = s.h + (batch - 1) * wrong.first - polygamma_of(batch).logarithm - stable_of(1).h - stable;
    if (divergence < 0) divergence = 0;  // by rounding
    Query q = {all.first - right.first + weight * divergence, all.second + weight * ((batch - 1) * wrong.second - s.q),
               all.second - right.second};
    queries[(long long)blockIdx.y * batch + query] = q;
}

// The gradient with respect to the similarities in place of the cosines, with the losses of the rows and Σ g·c of a tile. A
// block of 128 threads is a tile, a thread a column.
extern "C" __global__ void evidence_gradient(float* pairs, float* losses, float* dots, const Query* queries,
                                             const float* temperature, const Plan* plans, const Control* control, int batch) {
    int first_row = blockIdx.y * TILE_ROWS, column = blockIdx.x * TILE_COLUMNS + threadIdx.x;
    int last_row = min(first_row + TILE_ROWS, batch);
    double iota = *temperature, weight = plans[control->step].divergence, dot = 0;
    if (column < batch) {
        Query of_column = queries[batch + column];
        for (int row = first_row; row < last_row; row++) {
            long long at = (long long)row * batch + column;
            double cosine = pairs[at], similarity = iota * cosine, e = evidence_of(similarity), slope;
            Query of_row = queries[row];
            if (row == column) {
                losses[row] = (float)(of_row.loss + of_column.loss);
                slope = of_row.right + of_column.right;
            } else {
                slope = of_row.wrong + of_column.wrong + 2 * weight * stable_of(e + 1).q;
            }
            double g = similarity > MOST_SIMILAR ? 0 : e * slope / (2.0 * batch);
            dot += g * cosine;
            pairs[at] = (float)g;
        }
    }
    float sum = sum_of_block((float)dot);
    if (threadIdx.x == 0) dots[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

// Adds up what a step of an ensemble saw, as report does for one: the losses of its members, the mean of their temperatures and
// the sum of their slopes. Losses, dots and squares are those of one member after the other; their temperatures are so many
// parameters apart. One block.
extern "C" __global__ void __launch_bounds__(1024) report_members(Seen* seen, Control* control, float* d_temperatures, const float* losses,
                                          const float* dots, const float* squares, const float* temperatures, int batch,
                                          int tiles, int members, int apart) {
    double loss = sum_of_all(losses, members * batch) / (2.0 * batch), square = sum_of_all(squares, members * 2 * batch);
    double slopes = 0, temperature = 0;
    for (int i = 0; i < members; i++) {
        double slope = sum_of_all(dots + (long long)i * tiles, tiles);
        slopes += slope;
        temperature += temperatures[(long long)i * apart];
        if (threadIdx.x == 0) d_temperatures[(long long)i * apart] = (float)slope;
    }
    if (threadIdx.x != 0) return;
    Seen s = {(float)loss, (float)(temperature / members), 0, (float)slopes, (float)square};
    see(seen, control, s);
}
