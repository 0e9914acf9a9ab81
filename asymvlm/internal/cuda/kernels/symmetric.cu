// The kernels of the exact normaliser of the von Mises-Fisher density, and of SymVLM, which has such densities on both sides,
// after step.cu in the same module.

// What package special evaluates a Bessel function I_ν by; the coefficients follow, lowest power first: those of e, u and t.
struct Bessel {
    double order, top, steps, at_one;
    double lengths[3];
};

static __device__ double horner(const double* coefficients, int length, double p) {
    double value = 0;
    for (int i = length - 1; i >= 0; i--) value = value * p + coefficients[i];
    return value;
}

// The rise of log I_ν above its leading power at x, and I_{ν+1}(x)/(x I_ν(x)): special.BesselI's LogRise and RatioOverX, which
// see for the expansion (DLMF 10.41.3) and for the recurrence to orders below 40.
struct Rise {
    double logarithm, ratio;
};

static __device__ Rise rise_of(const Bessel* b, double x) {
    const double* e = (const double*)(b + 1);
    const double* u = e + (int)b->lengths[0];
    const double* t = u + (int)b->lengths[1];
    double z = x / b->top, w = sqrt(1 + z * z), p = 1 / w, h = z * (z / (1 + w));
    double excess = -h / (1 + h) * horner(e, (int)b->lengths[0], p) / b->at_one;
    Rise r = {b->top * (h - log1p(h / 2)) - log1p(h) / 2 + log1p(excess),
              (1 / (1 + w) + p * horner(t, (int)b->lengths[2], p) / horner(u, (int)b->lengths[1], p)) / b->top};
    double product = 0;
    for (int step = (int)b->steps - 1; step >= 0; step--) {
        double twice = 2 * (b->order + step + 1), y = x * (x * r.ratio) / twice;
        product += y + product * y;
        if (product > 1e150) {  // one more factor could overflow
            r.logarithm += log1p(product);
            product = 0;
        }
        r.ratio = 1 / (twice + x * (x * r.ratio));
    }
    r.logarithm += log1p(product);
    return r;
}

// Takes every output η apart as prepare does, by the exact normaliser, or by the paper's closed form where there is no table. The
// direction, and the normaliser's logarithm as a double number, are for those who want them. A block is a row.
extern "C" __global__ void concentrate(float* eta, float* mu, float* kappas, float* logs, double* wide_logs, float* slopes,
                                       int columns, float factor, const Bessel* table) {
    float* row = eta + (long long)blockIdx.x * columns;
    float square = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float value = factor * row[k];
        row[k] = value;
        square = fmaf(value, value, square);
    }
    float length = sqrtf(sum_of_block(square)), scale = 1 / (length < 1e-12f ? 1e-12f : length);
    if (mu)
        for (int k = threadIdx.x; k < columns; k += blockDim.x) mu[(long long)blockIdx.x * columns + k] = scale * row[k];
    if (threadIdx.x != 0) return;
    double kappa = length, half = 0.5 * (columns - 1), log_of, slope;
    if (table) {
        Rise r = rise_of(table, kappa);
        log_of = -r.logarithm, slope = -r.ratio;
    } else {
        log_of = paper_term(kappa, half, half) + paper_term(kappa, half, half + 1);
        slope = -(1 / (half + sqrt(half * half + kappa * kappa)) + 1 / (half + sqrt((half + 1) * (half + 1) + kappa * kappa))) / 2;
    }
    kappas[blockIdx.x] = length;
    logs[blockIdx.x] = (float)log_of;
    slopes[blockIdx.x] = (float)slope;
    if (wide_logs) wide_logs[blockIdx.x] = log_of;
}

// The log-likelihoods of pairs from their cosines c: ½[(κ_I+κ_T) c + F(κ_I) + F(κ_T)], or with a table C(κ_I) + C(κ_T) −
// C(|η_I+η_T|), and then the slope of C over its argument in place of c. A block of 128 threads has 32 rows, a thread a column.
extern "C" __global__ void symmetric_likelihoods(float* pairs, float* cosines, const float* of_rows, const float* of_columns,
                                                 const double* row_logs, const double* column_logs, const Bessel* table,
                                                 int batch) {
    int first_row = blockIdx.y * TILE_ROWS, column = blockIdx.x * TILE_COLUMNS + threadIdx.x;
    int last_row = min(first_row + TILE_ROWS, batch);
    if (column >= batch) return;
    double b = of_columns[column], log_of = column_logs[column];
    for (int row = first_row; row < last_row; row++) {
        long long at = (long long)row * batch + column;
        double a = of_rows[row], c = cosines[at], sum = row_logs[row] + log_of;
        if (!table) {
            pairs[at] = (float)(((a + b) * c + sum) / 2);
            continue;
        }
        double square = (a - b) * (a - b) + 2 * a * b * (1 + c);
        Rise together = rise_of(table, sqrt(square < 0 ? 0 : square));
        pairs[at] = (float)(sum + together.logarithm);
        cosines[at] = (float)-together.ratio;
    }
}

// Turns the gradient g of pairs into what the gradients of both sides are products with, in its place: w = g (κ_I+κ_T), or
// g times a slope. It leaves parts of sums over rows and over columns: those of g c κ of the other side, or of w, and behind
// them those of g. A block of 128 threads is a tile, a thread a column.
extern "C" __global__ void symmetric_pulls(float* pairs, float* row_parts, float* column_parts, const float* cosines,
                                           const float* of_rows, const float* of_columns, int batch, int mutual) {
    __shared__ float tile[2][TILE_ROWS][TILE_COLUMNS];
    int first_row = blockIdx.y * TILE_ROWS, first = blockIdx.x * TILE_COLUMNS, column = first + threadIdx.x;
    int rows = min(TILE_ROWS, batch - first_row), columns = min(TILE_COLUMNS, batch - first);
    if (column < batch) {
        float kappa = of_columns[column], along = 0, sum = 0;
        for (int i = 0; i < rows; i++) {
            long long at = (long long)(first_row + i) * batch + column;
            float g = pairs[at], other = of_rows[first_row + i], product = g * cosines[at];
            pairs[at] = mutual ? product : g * (other + kappa);
            tile[0][i][threadIdx.x] = mutual ? product : product * kappa;
            tile[1][i][threadIdx.x] = g;
            along += mutual ? product : product * other;
            sum += g;
        }
        column_parts[(long long)blockIdx.y * batch + column] = along;
        column_parts[((long long)gridDim.y + blockIdx.y) * batch + column] = sum;
    }
    __syncthreads();
    int lane = threadIdx.x % WARP;
    for (int i = threadIdx.x / WARP; i < rows; i += TILE_COLUMNS / WARP) {
        float along = 0, sum = 0;
        for (int j = lane; j < columns; j += WARP) along += tile[0][i][j], sum += tile[1][i][j];
        along = sum_of_warp(along);
        sum = sum_of_warp(sum);
        if (lane != 0) continue;
        row_parts[(long long)blockIdx.x * batch + first_row + i] = along;
        row_parts[((long long)gridDim.x + blockIdx.x) * batch + first_row + i] = sum;
    }
}

// Completes the gradient d of one side with what is along its own vectors v: directions, or η for the mutual form, see
// nn.symmetric. The squares are those of a row. A block is a row.
extern "C" __global__ void symmetric_gradient(float* d, float* squares, const float* v, const float* kappas, const float* slopes,
                                              const float* alongs, const float* sums, const float* temperature, int columns,
                                              int mutual) {
    float tau = *temperature, kappa = kappas[blockIdx.x], slope = sums[blockIdx.x] * slopes[blockIdx.x], along = alongs[blockIdx.x];
    float least = kappa < 1e-12f ? 1e-12f : kappa, square = 0;
    float own = mutual ? tau * (slope - along) : tau / 2 * (slope * kappa - along / least), other = mutual ? -tau : tau / 2 / least;
    long long first = (long long)blockIdx.x * columns;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) {
        float value = fmaf(own, v[first + k], other * d[first + k]);
        square = fmaf(value, value, square);
        d[first + k] = value;
    }
    square = sum_of_block(square);
    if (threadIdx.x == 0) squares[blockIdx.x] = square;
}
