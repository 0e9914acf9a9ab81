// The kernels of a training step of AsymVLM on an NVIDIA card, all but the matrix products, and what all methods share:
// layers, sums and optimisers. The other files have what the others need besides.
//
// Shapes: B pairs of a batch, D columns of an embedding, H columns of a layer. Matrices are row by row. Rows of a matrix
// of pairs are the anchors s (images in AsymVLM), columns the adapted side r (texts); the true pairs are on its diagonal.
//
// Every sum has one order, whatever runs first: within a thread, then within a block by halves, then over the blocks in
// their order. Nothing is added by atomic operations, so a seed gives the same bits on the same card.
//
// A kernel whose blocks have more than 256 threads says so by __launch_bounds__: without it the compiler of a driver may take
// so many registers that the block does not fit.
//
// make.py turns the files into one module, kernels.ptx. The Go files of this package start all kernels and have their
// grids: network.go and step.go those of all methods, contrastive.go, variances.go and heads.go their own.

#define TILE_ROWS 32      // of the matrix of pairs and of sums over rows
#define TILE_COLUMNS 128  // one for each thread
#define WARP 32
#define INFINITE __int_as_float(0x7f800000)

enum { VON_MISES_FISHER, POWER_SPHERICAL, GAUSSIAN, COSINE };

// One step's numbers, from the host; see step.go.
struct Plan {
    int from;  // the first pair of the batch within the order
    float rate, momentum, decay;        // of gradient descent
    float keep, size, correction;       // of AdamW
    float divergence;                   // the weight of ELIP's
};

// What a step saw, for the host.
struct Seen {
    float loss, temperature, concentration, slope, gradient;  // see device.SeenStep
};

// Where a training is: the number of steps done since the plans were written, and whether something was not finite, from
// where on nothing changes any more.
struct Control {
    int step, broken;
};

// Notes what a step saw, in one thread, and whether all of it is finite.
static __device__ void see(Seen* seen, Control* control, Seen s) {
    seen[control->step] = s;
    if (!(isfinite(s.loss) && isfinite(s.temperature) && isfinite(s.concentration) && isfinite(s.slope) && isfinite(s.gradient)))
        control->broken = 1;
}

static __device__ float sum_of_warp(float value) {
    for (int apart = WARP / 2; apart > 0; apart /= 2) value += __shfl_xor_sync(0xffffffffu, value, apart);
    return value;
}

static __device__ float most_of_warp(float value) {
    for (int apart = WARP / 2; apart > 0; apart /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, apart));
    return value;
}

// The sum over a block of up to 1024 threads, whole warps of them, for every thread.
static __device__ float sum_of_block(float value) {
    __shared__ float parts[WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    value = sum_of_warp(value);
    __syncthreads();  // the parts may still be read from the call before
    if (lane == 0) parts[warp] = value;
    __syncthreads();
    return sum_of_warp(lane < warps ? parts[lane] : 0.0f);
}

// Gathers a batch: raw rows of the adapted side, times a factor, and rows of length 1 of the anchors. A block is a pair.
extern "C" __global__ void gather(float* adapted, float* anchors, const float* adapted_set, const float* anchor_set,
                                  const int* adapted_of, const int* anchor_of, const int* order, const Plan* plans,
                                  const Control* control, int columns, float stretch) {
    int pair = order[plans[control->step].from + blockIdx.x];
    const float* from = adapted_set + (long long)adapted_of[pair] * columns;
    float* to = adapted + (long long)blockIdx.x * columns;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) to[k] = stretch * from[k];

    from = anchor_set + (long long)anchor_of[pair] * columns;
    to = anchors + (long long)blockIdx.x * columns;
    float square = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) square = fmaf(from[k], from[k], square);
    float length = sqrtf(sum_of_block(square)), scale = 1 / (length < 1e-12f ? 1e-12f : length);
    for (int k = threadIdx.x; k < columns; k += blockDim.x) to[k] = scale * from[k];
}

// Adds a bias to every row and rectifies: y is rows×columns. Threads along x have a column each, blocks along y rows. NaN
// stays NaN, which fmaxf would turn into 0.
extern "C" __global__ void add_bias(float* y, const float* bias, int rows, int columns, int rectify) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float value = bias[column];
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
        float sum = y[(long long)row * columns + column] + value;
        y[(long long)row * columns + column] = rectify && sum < 0 ? 0.0f : sum;
    }
}

// Stirling's series from 15 on, smaller arguments raised by recurrence (DLMF 5.11.1). log Γ without ½ log 2π, which drops
// out of every difference.
static __device__ double log_gamma(double x) {
    double product = 1;
    for (; x < 15; x += 1) product *= x;
    double y = 1 / (x * x);
    double series = ((((-1. / 1680 * y + 1. / 1260) * y - 1. / 360) * y) + 1. / 12) / x;
    return (x - 0.5) * log(x) - x + series - log(product);
}

// ψ, likewise (DLMF 5.11.2).
static __device__ double digamma(double x) {
    double sum = 0;
    for (; x < 15; x += 1) sum -= 1 / x;
    double y = 1 / (x * x);
    return sum + log(x) - 0.5 / x - (((-1. / 240 * y + 1. / 252) * y - 1. / 120) * y + 1. / 12) * y;
}

// One term of the paper's normaliser, equation 4, zero-based: (a/2) log(1 + t/(a+b)) − t/2, t = κ²/(√(b²+κ²) + b).
static __device__ double paper_term(double kappa, double a, double b) {
    double t = kappa * kappa / (sqrt(b * b + kappa * kappa) + b);
    return a / 2 * log1p(t / (a + b)) - t / 2;
}

// Takes every output η of the network apart: κ = |η|, the normaliser's logarithm and its slope, over κ but for the power
// spherical density. That and the cosine, which has no normaliser, also get the direction. A block is a row.
extern "C" __global__ void prepare(float* eta, float* mu, float* kappas, float* logs, float* slopes, int columns,
                                   float factor, int likelihood) {
    float* row = eta + (long long)blockIdx.x * columns;
    float square = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float value = factor * row[k];
        row[k] = value;
        square = fmaf(value, value, square);
    }
    float length = sqrtf(sum_of_block(square));
    if (likelihood == POWER_SPHERICAL || likelihood == COSINE) {
        float scale = 1 / (length < 1e-12f ? 1e-12f : length);
        for (int k = threadIdx.x; k < columns; k += blockDim.x) mu[(long long)blockIdx.x * columns + k] = scale * row[k];
    }
    if (threadIdx.x != 0) return;
    double kappa = length, half = 0.5 * (columns - 1), log_of, slope;
    if (likelihood == VON_MISES_FISHER) {
        log_of = paper_term(kappa, half, half) + paper_term(kappa, half, half + 1);
        slope = -(1 / (half + sqrt(half * half + kappa * kappa)) + 1 / (half + sqrt((half + 1) * (half + 1) + kappa * kappa))) / 2;
    } else if (likelihood == POWER_SPHERICAL) {
        // The duplication formula of Γ makes a second difference of the definition, in which large terms cancel.
        double x = half + 0.5, s = kappa / 2, t = (kappa - 1) / 2, y = half + kappa / 2;
        log_of = log_gamma(x + s) - log_gamma(x + s + t) + (log_gamma(x + t) - log_gamma(x));
        slope = -(digamma(y + s) - digamma(y) + (digamma(y + 0.5 + t) - digamma(y + 0.5))) / 2;
    } else if (likelihood == COSINE) {
        log_of = slope = 0;
    } else {
        double least = fmax(kappa, 1e-6), d = 0.5 * columns;
        log_of = -least + d * log(least);
        slope = (-1 + d / least) / least;
    }
    kappas[blockIdx.x] = length;
    logs[blockIdx.x] = (float)log_of;
    slopes[blockIdx.x] = (float)slope;
}

#define LOWEST_COSINE (-1 + 1e-6f)

// A cosine, raised to the lowest one; NaN stays NaN.
static __device__ float raised(float cosine) { return cosine < LOWEST_COSINE ? LOWEST_COSINE : cosine; }

// The log-likelihood of a pair from the product of its embeddings, which is a cosine for the power spherical density.
template <bool power>
static __device__ float likelihood_of(float product, float kappa, float log_of) {
    return power ? kappa * log1pf(raised(product)) + log_of : product + log_of;
}

// Whether a row is neither right nor wrong for a column: another pair of its group. Kernels that mask nothing read no groups.
template <bool masked>
static __device__ bool hidden(const int* groups, int row, int column, int group) {
    return masked && (row != column) & (groups[row] == group);  // without a branch
}

// The exponential of a logit relative to the largest one, 0 for a hidden one, which counts as minus infinity.
template <bool masked>
static __device__ float share_of(float logit, float most) {
    return masked && logit == -INFINITE ? 0.0f : expf(logit - most);
}

// The largest logit and the sum of exponentials relative to it, of the rows and of the columns of a tile. A block of 128
// threads is a tile; parts are those of a row of tiles for the columns and the other way round, one after the other. What is
// all hidden has the sum 0 and minus infinity as its largest.
template <bool power, bool masked>
static __device__ void sums(float* row_most, float* row_sums, float* column_most, float* column_sums, const float* pairs,
                            const float* kappas, const float* logs, const float* temperature, const int* groups, int batch) {
    __shared__ float tile[TILE_ROWS][TILE_COLUMNS];
    int first_row = blockIdx.y * TILE_ROWS, first = blockIdx.x * TILE_COLUMNS, column = first + threadIdx.x;
    int rows = min(TILE_ROWS, batch - first_row), columns = min(TILE_COLUMNS, batch - first);
    float tau = *temperature, most = -INFINITE, sum = 0;
    if (column < batch) {
        float kappa = power ? kappas[column] : 0, log_of = logs[column];
        int group = masked ? groups[column] : 0;
        for (int i = 0; i < rows; i++) {
            float product = pairs[(long long)(first_row + i) * batch + column];
            float logit = tau * likelihood_of<power>(product, kappa, log_of);
            if (hidden<masked>(groups, first_row + i, column, group)) logit = -INFINITE;
            tile[i][threadIdx.x] = logit;
            most = fmaxf(most, logit);
        }
        for (int i = 0; i < rows; i++) sum += share_of<masked>(tile[i][threadIdx.x], most);
        column_most[(long long)blockIdx.y * batch + column] = most;
        column_sums[(long long)blockIdx.y * batch + column] = sum;
    }
    __syncthreads();
    int lane = threadIdx.x % WARP;
    for (int i = threadIdx.x / WARP; i < rows; i += TILE_COLUMNS / WARP) {
        most = -INFINITE, sum = 0;
        for (int j = lane; j < columns; j += WARP) most = fmaxf(most, tile[i][j]);
        most = most_of_warp(most);
        for (int j = lane; j < columns; j += WARP) sum += share_of<masked>(tile[i][j], most);
        sum = sum_of_warp(sum);
        if (lane == 0) {
            row_most[(long long)blockIdx.x * batch + first_row + i] = most;
            row_sums[(long long)blockIdx.x * batch + first_row + i] = sum;
        }
    }
}

extern "C" __global__ void sums_linear(float* row_most, float* row_sums, float* column_most, float* column_sums,
                                       const float* pairs, const float* kappas, const float* logs,
                                       const float* temperature, int batch) {
    sums<false, false>(row_most, row_sums, column_most, column_sums, pairs, kappas, logs, temperature, nullptr, batch);
}

extern "C" __global__ void sums_power(float* row_most, float* row_sums, float* column_most, float* column_sums,
                                      const float* pairs, const float* kappas, const float* logs, const float* temperature,
                                      int batch) {
    sums<true, false>(row_most, row_sums, column_most, column_sums, pairs, kappas, logs, temperature, nullptr, batch);
}

#define MERGERS 8  // warps of a block that merges parts, each with every eighth part

// The sum over parts of what a column has, in a block of 32×8: thread x has a column, thread y every eighth part.
static __device__ float sum_of_parts(const float* parts, int count, int length, int column) {
    __shared__ float shares[MERGERS][WARP];
    float sum = 0;
    if (column < length)
        for (int part = threadIdx.y; part < count; part += MERGERS) sum += parts[(long long)part * length + column];
    __syncthreads();  // the shares may still be read from the call before
    shares[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < MERGERS; i++) sum += shares[i][threadIdx.x];
    return sum;
}

// Merges the parts of a logarithm of a sum of exponentials.
extern "C" __global__ void merge(float* logarithms, const float* most, const float* sums, int count, int length) {
    __shared__ float largest[MERGERS][WARP];
    __shared__ float shares[MERGERS][WARP];
    int column = blockIdx.x * WARP + threadIdx.x;
    float top = -INFINITE, sum = 0;
    if (column < length)
        for (int part = threadIdx.y; part < count; part += MERGERS) top = fmaxf(top, most[(long long)part * length + column]);
    largest[threadIdx.y][threadIdx.x] = top;
    __syncthreads();
    for (int i = 0; i < MERGERS; i++) top = fmaxf(top, largest[i][threadIdx.x]);
    if (column < length)
        for (int part = threadIdx.y; part < count; part += MERGERS) {
            long long at = (long long)part * length + column;
            sum += sums[at] * expf(most[at] - top);
        }
    shares[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= length) return;
    sum = 0;
    for (int i = 0; i < MERGERS; i++) sum += shares[i][threadIdx.x];
    logarithms[column] = top + logf(sum);
}

// The gradient g of the symmetric InfoNCE loss with respect to the logits, (P_row + P_column − 2I)/2B, in place of the
// products: g itself, or g/(1+c) for the power spherical density with its radial sums Σ g log(1+c) − c g/(1+c). It also
// leaves the sums of g's columns over a tile, the losses of the rows and Σ g·ℓ of a tile. A block of 128 threads is a
// tile, a thread a column.
template <bool power, bool masked>
static __device__ void gradient(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                const float* rows, const float* columns, const float* kappas, const float* logs,
                                const float* temperature, const int* groups, int batch) {
    int first_row = blockIdx.y * TILE_ROWS, column = blockIdx.x * TILE_COLUMNS + threadIdx.x;
    int last_row = min(first_row + TILE_ROWS, batch);
    float tau = *temperature, weight = 0.5f / batch, dot = 0, sum = 0, radius = 0;
    if (column < batch) {
        float kappa = power ? kappas[column] : 0, log_of = logs[column], of_column = columns[column];
        int group = masked ? groups[column] : 0;
        for (int row = first_row; row < last_row; row++) {
            long long at = (long long)row * batch + column;
            if (hidden<masked>(groups, row, column, group)) {
                pairs[at] = 0;
                continue;
            }
            float product = pairs[at], likelihood = likelihood_of<power>(product, kappa, log_of), logit = tau * likelihood;
            float g = weight * (expf(logit - rows[row]) + expf(logit - of_column));
            if (row == column) {
                losses[row] = (rows[row] - logit) + (of_column - logit);
                g -= 2 * weight;
            }
            sum += g;
            dot = fmaf(g, likelihood, dot);
            if (power) {
                float cosine = raised(product);
                float inverse = cosine <= LOWEST_COSINE ? 0.0f : g / (1 + cosine);  // flat at the limit
                radius += g * log1pf(cosine) - inverse * cosine;
                g = inverse;
            }
            pairs[at] = g;
        }
        column_sums[(long long)blockIdx.y * batch + column] = sum;
        if (power) radial[(long long)blockIdx.y * batch + column] = radius;
    }
    dot = sum_of_block(dot);
    if (threadIdx.x == 0) dots[blockIdx.y * gridDim.x + blockIdx.x] = dot;
}

extern "C" __global__ void gradient_linear(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                           const float* rows, const float* columns, const float* kappas, const float* logs,
                                           const float* temperature, int batch) {
    gradient<false, false>(pairs, column_sums, radial, losses, dots, rows, columns, kappas, logs, temperature, nullptr, batch);
}

extern "C" __global__ void gradient_power(float* pairs, float* column_sums, float* radial, float* losses, float* dots,
                                          const float* rows, const float* columns, const float* kappas, const float* logs,
                                          const float* temperature, int batch) {
    gradient<true, false>(pairs, column_sums, radial, losses, dots, rows, columns, kappas, logs, temperature, nullptr, batch);
}

// What every row of the adapted side is pulled along itself: the slope of its normaliser times the sum of its column of g,
// and the radial sum for the power spherical density.
extern "C" __global__ void along(float* pulls, const float* column_sums, const float* radial, const float* slopes, int count,
                                 int batch, int power) {
    int column = blockIdx.x * WARP + threadIdx.x;
    float sum = sum_of_parts(column_sums, count, batch, column), radius = 0;
    if (power) radius = sum_of_parts(radial, count, batch, column);
    if (threadIdx.y == 0 && column < batch) pulls[column] = fmaf(sum, slopes[column], radius);
}

// Completes the gradient with respect to the network's outputs: τ (d + pull·v), times the factor on the outputs. v is η,
// or the direction. The squares are those of a row before the factor. A block is a row.
extern "C" __global__ void combine(float* d, float* squares, const float* v, const float* pulls, const float* temperature,
                                   int columns, float factor) {
    float tau = *temperature, pull = pulls[blockIdx.x], square = 0;
    long long first = (long long)blockIdx.x * columns;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float value = tau * fmaf(pull, v[first + k], d[first + k]);
        square = fmaf(value, value, square);
        d[first + k] = factor * value;
    }
    square = sum_of_block(square);
    if (threadIdx.x == 0) squares[blockIdx.x] = square;
}

// The sum over a block of a power of two of threads, up to 1024, for every thread.
static __device__ double sum_of_shares(double sum) {
    __shared__ double shares[1024];
    __syncthreads();  // the shares may still be read from the call before
    shares[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) shares[threadIdx.x] += shares[threadIdx.x + half];
    }
    __syncthreads();
    return shares[0];
}

static __device__ double sum_of_all(const float* values, int count) {
    double sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) sum += values[i];
    return sum_of_shares(sum);
}

static __device__ double sum_of_products(const float* a, const float* b, int count) {
    double sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) sum += (double)a[i] * b[i];
    return sum_of_shares(sum);
}

// Adds up what the step saw, with the squares of so many sides, and sets the gradient of the temperature. Without kappas the
// concentration is 0. One block.
extern "C" __global__ void __launch_bounds__(1024) report(Seen* seen, Control* control, float* d_temperature, const float* losses, const float* dots,
                                  const float* kappas, const float* squares, const float* temperature, int batch, int tiles,
                                  int sides) {
    double loss = sum_of_all(losses, batch) / (2.0 * batch), slope = sum_of_all(dots, tiles), kappa = 0;
    if (kappas) kappa = sum_of_all(kappas, batch) / batch;
    double square = sum_of_all(squares, sides * batch);
    if (threadIdx.x != 0) return;
    Seen s = {(float)loss, *temperature, (float)kappa, (float)slope, (float)square};
    *d_temperature = s.slope;
    see(seen, control, s);
}

// Sets d to 0 where the layer's input is 0, unless there is none, and leaves the sums of d's columns over tiles of rows.
extern "C" __global__ void rectify_gradient(float* d, float* column_sums, const float* input, int rows, int columns) {
    int column = blockIdx.x * TILE_COLUMNS + threadIdx.x, first = blockIdx.y * TILE_ROWS, last = min(first + TILE_ROWS, rows);
    if (column >= columns) return;
    float sum = 0;
    for (int row = first; row < last; row++) {
        long long at = (long long)row * columns + column;
        float value = d[at];
        if (input) {
            if (input[at] == 0) value = 0;
            d[at] = value;
        }
        sum += value;
    }
    column_sums[(long long)blockIdx.y * columns + column] = sum;
}

// Adds up the parts of sums over columns.
extern "C" __global__ void add_parts(float* sums, const float* parts, int count, int columns) {
    int column = blockIdx.x * WARP + threadIdx.x;
    float sum = sum_of_parts(parts, count, columns, column);
    if (threadIdx.y == 0 && column < columns) sums[column] = sum;
}

// Gradient descent with momentum: v ← momentum·v + g + decay·p, p ← p − rate·v.
extern "C" __global__ void descend(float* p, float* v, const float* g, const Plan* plans, const Control* control, int count) {
    if (control->broken) return;
    Plan plan = plans[control->step];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float velocity = fmaf(plan.momentum, v[i], fmaf(plan.decay, p[i], g[i]));
        v[i] = velocity;
        p[i] = fmaf(-plan.rate, velocity, p[i]);
    }
}

// AdamW with the constants of PyTorch, see device.AdamStep.
extern "C" __global__ void adam(float* p, float* first, float* second, const float* g, const Plan* plans,
                                const Control* control, int count) {
    if (control->broken) return;
    Plan plan = plans[control->step];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float m = fmaf(g[i] - first[i], 0.1f, first[i]), v = fmaf(second[i], 0.999f, g[i] * g[i] * 0.001f);
        first[i] = m;
        second[i] = v;
        p[i] = plan.keep * p[i] - plan.size * m / (sqrtf(v) * plan.correction + 1e-8f);
    }
}

// Ends a step. One thread.
extern "C" __global__ void advance(Control* control) {
    if (!control->broken) control->step++;
}
